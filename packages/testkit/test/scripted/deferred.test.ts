import { allow, decideLater, deferTool, openSession, type ResultMessage, type Session } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { memoryStore, type StoreEntry } from 'coxswain/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { inMemoryCli, type Script, script } from '../../src/index.ts';
import { settingsAsk } from '../../src/scripted/interpreter/asking-setting.ts';
import { deferredCall } from '../../src/scripted/interpreter/deferred-call.ts';

const ID = '11111111-1111-4111-8111-111111111111';

describe('the deferred call of a conversation', () => {
  it('[K-1] is that of the last marker, with the input of the call', () => {
    const entries = [
      prompt('Do it.'),
      call('a', 'Bash', { n: 1 }),
      call('b', 'Bash', { n: 2 }),
      marker('a'),
      marker('b'),
    ];
    const { id, name, input, found, prompt: asked } = deferredCall(entries) ?? {};
    expect({ id, name, input, found, asked }).toEqual({
      id: 'b',
      name: 'Bash',
      input: { n: 2 },
      found: true,
      asked: 'Do it.',
    });
  });

  it('[K-1] counts the equal calls of its turn', () => {
    const earlier = [prompt('Do it.'), call('a', 'Bash', { n: 1 }), result('a'), prompt('Again.')];
    const turn = [call('b', 'Bash', { n: 1 }), result('b'), call('c', 'Bash', { n: 1 }), marker('c')];
    expect(deferredCall([...earlier, ...turn])?.count).toBe(2);
  });

  it('[K-1] may be missing: the CLI then continues without it', () => {
    expect(deferredCall([prompt('Do it.'), call('a'), marker('b')])).toMatchObject({ id: 'b', found: false });
  });

  it.each([
    ['no marker', [prompt('Do it.'), call('a')]],
    ['a result', [prompt('Do it.'), call('a'), marker('a'), result('a')]],
    ['a later prompt', [prompt('Do it.'), call('a'), marker('a'), prompt('Never mind.')]],
    ['a marker of a subagent', [prompt('Do it.'), call('a'), { ...marker('a'), isSidechain: true }]],
  ])('[K-1] is undefined with %s', (_why, entries) => {
    expect(deferredCall(entries)).toBeUndefined();
  });
});

describe('a scripted CLI that resumes a deferred call', () => {
  const agent = script().otherwise((turn) =>
    turn.useTool('Bash', { command: 'ls' }, { permission: 'ask', result: 'a.txt' }).say('One file.'),
  );

  it('[K-1] asks for the call that a hook deferred, and continues its turn', async () => {
    const sessionStore = memoryStore();
    const first = open(agent, { sessionStore, hooks: { PreToolUse: () => deferTool() } });
    expect((await first.send('List.').result()).stop_reason).toBe('tool_deferred');
    await first.close();
    const asked: unknown[] = [];
    const second = open(agent, {
      sessionStore,
      resume: first.id ?? '',
      canUseTool({ toolUseId }) {
        asked.push(toolUseId);
        return allow();
      },
    });
    expect(await firstResult(second)).toMatchObject({ subtype: 'success', result: 'One file.', num_turns: 1 });
    expect(asked).toEqual(['toolu_scripted0001_0']);
  });

  it('[K-1] gives later calls ids that the conversation does not have', async () => {
    const sessionStore = memoryStore();
    const first = open(agent, { sessionStore, canUseTool: () => allow() });
    await first.send('List.').result();
    await first.close();
    const second = open(agent, { sessionStore, resume: first.id ?? '', canUseTool: () => allow() });
    await second.send('List again.').result();
    const entries = JSON.stringify(await sessionStore.load({ projectKey: 'default', sessionId: first.id ?? '' }));
    expect(entries.match(/"id":"toolu_\w+"/g)).toEqual(['"id":"toolu_scripted0001_0"', '"id":"toolu_scripted0003_0"']);
  });

  it('[K-1, G-2] mirrors the call after the request for its permission', async () => {
    const sessionStore = memoryStore();
    let before = '';
    const session = open(agent, {
      sessionStore,
      async canUseTool() {
        before = JSON.stringify(await load(session));
        return decideLater();
      },
    });
    session.send('List.');
    const load = async (of: Session): Promise<unknown> =>
      sessionStore.load({ projectKey: 'default', sessionId: of.id ?? '' });
    await expect.poll(async () => JSON.stringify(await load(session))).toContain('"tool_use"');
    expect(before).not.toContain('"tool_use"');
  });

  it('[K-1] does not find a tool of the host, which is connected later; the call stays deferred', async () => {
    const add = tool('add', 'Adds.', z.object({ a: z.number() }), ({ a }) => String(a));
    const sessionStore = memoryStore();
    const key = { projectKey: 'default', sessionId: ID };
    await sessionStore.append(key, linked([prompt('Add.'), call('a', 'mcp__calc__add', { a: 1 }), marker('a')]));
    const mcpServers = { calc: toolServer({ name: 'calc', tools: [add] }) };
    const session = open(agent, { sessionStore, resume: ID, mcpServers, canUseTool: () => allow() });
    expect(await firstResult(session)).toMatchObject({
      is_error: true,
      stop_reason: 'tool_deferred_unavailable',
      deferred_tool_use: { id: 'a', name: 'mcp__calc__add', input: { a: 1 } },
    });
    await session.close();
    expect(deferredCall(((await sessionStore.load(key)) ?? []) as never[])).toMatchObject({ id: 'a', found: true });
  });

  it('[K-1, K-7] runs a call that a rule allows, unless a hook in the settings asks about it', async () => {
    const allowed = { allowedTools: ['Bash(ls)'] };
    const ask = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}';
    const command = (id: string): string => `case "$(cat)" in *'"tool_use_id":"${id}"'*) printf %s '${ask}';; esac`;
    const hooks = { PreToolUse: [{ matcher: '', hooks: [{ type: 'command', command: command('a') }] }] };
    expect([settingsAsk({ hooks }, 'a'), settingsAsk({ hooks }, 'b'), settingsAsk({}, 'a')]).toEqual([
      true,
      false,
      false,
    ]);
    for (const [settings, requests] of [
      [{}, 0],
      [{ hooks }, 1],
    ] as const) {
      const sessionStore = memoryStore();
      const entries = linked([prompt('List.'), call('a', 'Bash', { command: 'ls' }), marker('a')]);
      await sessionStore.append({ projectKey: 'default', sessionId: ID }, entries);
      let asked = 0;
      const canUseTool = () => {
        asked += 1;
        return allow();
      };
      const session = open(agent, { sessionStore, resume: ID, settings, canUseTool, ...allowed });
      expect(await firstResult(session)).toMatchObject({ result: 'One file.' });
      expect(asked).toBe(requests);
    }
  });
});

function open(agent: Script, options: Parameters<typeof openSession>[0]): Session {
  const session = openSession({ transport: inMemoryCli(agent).transport, ...options });
  onTestFinished(async () => void (await session.close()));
  return session;
}

/** The first result of a session, whatever started its run. */
async function firstResult(session: Session): Promise<ResultMessage> {
  for await (const item of session.messages()) {
    if (item.kind === 'message' && item.message.type === 'result') return item.message;
  }
  throw new Error('The session has ended without a result.');
}

function prompt(content: string): StoreEntryData {
  return { type: 'user', message: { role: 'user', content } };
}

function call(id: string, name = 'Bash', input: Record<string, number | string> = {}): StoreEntryData {
  return { type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] } };
}

function result(id: string): StoreEntryData {
  return { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '' }] } };
}

function marker(toolUseID: string): StoreEntryData {
  return { type: 'attachment', attachment: { type: 'hook_deferred_tool', toolUseID, toolName: 'Bash', toolInput: {} } };
}

type StoreEntryData = Parameters<typeof deferredCall>[0][number] & { readonly type: string };

/** Entries with the fields that place them in a conversation. */
function linked(parts: readonly StoreEntryData[]): StoreEntry[] {
  const uuid = (index: number): string => `33333333-3333-4333-8333-33333333333${index}`;
  return parts.map((part, index) => ({
    ...part,
    uuid: uuid(index),
    parentUuid: index === 0 ? null : uuid(index - 1),
    sessionId: ID,
  }));
}
