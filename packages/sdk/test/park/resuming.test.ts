import { script, scriptedCli } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { allow, decideLater, deny, stopTurn } from '../../src/callbacks/decisions.ts';
import type { PermissionRequest } from '../../src/callbacks/permission-request.ts';
import { ParkedRequestError } from '../../src/errors/park.ts';
import { ProcessError } from '../../src/errors/stream.ts';
import type { ParkedRequest } from '../../src/park/parked-request.ts';
import type { StoreEntry } from '../../src/store/session-store.ts';
import { COMMAND, deletes, parkStage, requested, toolsOf } from './stage.ts';

const ran = [{ name: 'Bash', input: COMMAND, outcome: 'ran' }];
const refused = [{ name: 'Bash', input: COMMAND, outcome: 'refused' }];

describe('openSession({ parked })', () => {
  it('[G-9, G-5] repeats the request after the hooks; the tool runs, and the turn continues', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const order: string[] = [];
    const asked: PermissionRequest[] = [];
    const { session, turn, cli } = stage.resume(parked, {
      hooks: { PreToolUse: (input) => void order.push(`hook ${input.tool_use_id}`) },
      canUseTool(request) {
        order.push(`asked ${request.toolUseId}`);
        asked.push(request);
        return allow();
      },
    });
    expect(turn.state).toBe('running');
    expect(await turn.text()).toBe('It is gone.');
    expect(turn.state).toBe('finished');
    expect(order).toEqual(['hook toolu_scripted0001_1', 'asked toolu_scripted0001_1']);
    expect(asked).toEqual([expect.objectContaining({ toolName: 'Bash', input: COMMAND })]);
    expect(toolsOf(cli)).toEqual(ran);
    expect(session.id).toBe(parked.sessionId);
    expect(await session.send('And now?').text()).toBe('Heard.');
    expect(cli.runs()[0]?.prompts).toEqual(['And now?']);
  });

  it('[G-9, G-2] stores the result after the call; the marker is never stored', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    await stage.resume(parked, { canUseTool: () => allow() }).turn.result();
    const entries = await stage.entries(parked.sessionId);
    const call = entries.findIndex((entry) => JSON.stringify(entry).includes('"id":"toolu_scripted0001_1"'));
    const result = entries.find((entry) => JSON.stringify(entry).includes('"tool_use_id":"toolu_scripted0001_1"'));
    expect(result?.parentUuid).toBe(entries[call]?.uuid);
    expect(JSON.stringify(entries)).not.toContain('hook_deferred_tool');
    expect(JSON.stringify(entries)).toContain('"content":"Continue from where you left off."');
  });

  it('[G-9] applies the stored answer: allow', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const { turn, cli } = stage.resume({ ...parked, answer: allow() } as ParkedRequest);
    expect(await turn.text()).toBe('It is gone.');
    expect(toolsOf(cli)).toEqual(ran);
  });

  it('[G-9] applies the stored answer: deny, with its reason', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const canUseTool = () => allow();
    const { turn, cli } = stage.resume({ ...parked, answer: deny('Keep it.') } as ParkedRequest, { canUseTool });
    expect(await turn.text()).toBe('I leave it.');
    expect(toolsOf(cli)).toEqual(refused);
    expect(JSON.stringify(await stage.entries(parked.sessionId))).toContain('"content":"Keep it."');
  });

  it('[G-9] runs the tool with the input of the stored answer', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const answer = allow({ updatedInput: { command: 'rm -r build/cache' } });
    const { turn, cli } = stage.resume({ ...parked, answer } as ParkedRequest);
    await turn.result();
    expect(toolsOf(cli)).toEqual([{ name: 'Bash', input: { command: 'rm -r build/cache' }, outcome: 'ran' }]);
  });

  it('[G-9, S-4] queues prompts behind the parked turn', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const { session, turn, cli } = stage.resume(parked, { canUseTool: () => decideLater() });
    const later = [session.send('first'), session.send('second')];
    const id = await requested(turn);
    expect(later.map(({ state }) => state)).toEqual(['queued', 'queued']);
    await session.answerPermission(id, allow());
    expect(await turn.text()).toBe('It is gone.');
    expect(await Promise.all(later.map((each) => each.text()))).toEqual(['Heard.', 'Heard.']);
    expect(cli.runs()[0]?.prompts).toEqual(['first', 'second']);
  });

  it('[G-9] can be parked again and resumed by another agent whose script has only the rest of the turn', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const { session, turn, cli } = stage.resume(parked, { canUseTool: () => decideLater() });
    const again = await session.park(await requested(turn));
    expect(again).toMatchObject({ hash: parked.hash, sessionId: parked.sessionId });
    expect(turn.state).toBe('parked');
    const plays = script().onPrompt('Continue from where you left off.', (rest) => rest.say('Done elsewhere.'));
    const elsewhere = stage.resume(again, { plays, canUseTool: () => allow() });
    expect(await elsewhere.turn.text()).toBe('Done elsewhere.');
    expect([...toolsOf(cli), ...toolsOf(elsewhere.cli)]).toEqual(ran);
  });

  it('[G-9] can be interrupted while the request waits, and stopped by the answer', async () => {
    const stage = parkStage();
    const first = stage.resume((await stage.park()).parked, { canUseTool: () => decideLater() });
    await requested(first.turn);
    await first.turn.interrupt();
    expect(await first.turn.result()).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(await first.session.send('And now?').text()).toBe('Heard.');
    const second = stage.resume((await stage.park()).parked, { canUseTool: () => stopTurn('Never.') });
    expect(await second.turn.result()).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect([...toolsOf(first.cli), ...toolsOf(second.cli)]).toEqual([...refused, ...refused]);
  });

  it('[G-9, G-5] works in another process', async () => {
    const stage = parkStage();
    await using cli = await scriptedCli(deletes);
    const asProcess = { cli: cli.path, transport: undefined };
    const { parked } = await stage.park(asProcess);
    const { session, turn } = stage.resume(parked, { ...asProcess, canUseTool: () => allow() });
    expect(await turn.text()).toBe('It is gone.');
    await session.close();
    expect((await cli.runs()).map(({ tools }) => tools)).toEqual([[], ran]);
  });

  it('[G-9] continues with the call that was parked, not with an equal one before it', async () => {
    const agent = script().otherwise((turn) =>
      turn
        .useTool('Bash', COMMAND, { permission: 'ask', result: 'once' })
        .useTool('Bash', COMMAND, { permission: 'ask', result: 'twice' })
        .say('Twice.'),
    );
    const stage = parkStage(agent);
    const first = (await stage.park()).parked;
    const { session, turn } = stage.resume(first, {
      canUseTool: ({ toolUseId }) => (toolUseId === first.request.toolUseId ? allow() : decideLater()),
    });
    await expect.poll(() => session.pendingPermissions().length).toBe(1);
    const parked = await session.park(session.pendingPermissions()[0]?.id ?? '');
    await expect(turn.result()).rejects.toMatchObject({ code: 'turn-parked' });
    const { turn: rest } = stage.resume(parked, { canUseTool: () => allow() });
    expect(await rest.text()).toBe('Twice.');
    const entries = JSON.stringify(await stage.entries(parked.sessionId));
    expect(entries.match(/"content":"(once|twice)"/g)).toEqual(['"content":"once"', '"content":"twice"']);
  });
});

describe('openSession({ parked }) of a request that cannot be resumed', () => {
  it('[G-9] fails with finished if it was resumed to its end', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    await stage.resume(parked, { canUseTool: () => allow() }).turn.result();
    await failsWith(stage.resume(parked, { canUseTool: () => allow() }), 'finished');
  });

  it('[G-9] fails with superseded if the conversation was continued without it', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    await stage.open({ resume: parked.sessionId }).send('Never mind.').result();
    await failsWith(stage.resume(parked, { canUseTool: () => allow() }), 'superseded');
  });

  it('[G-9] fails with superseded if the conversation is continued without it while it waits for its answer', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const { session, turn, cli } = stage.resume(parked, { canUseTool: () => decideLater() });
    const id = await requested(turn);
    await stage.open({ resume: parked.sessionId }).send('Never mind.').result();
    await session.answerPermission(id, allow());
    await expect(turn.result()).rejects.toMatchObject({ code: 'parked-request', problem: 'superseded' });
    expect(toolsOf(cli).filter(({ outcome }) => outcome === 'ran')).toEqual([]);
  });

  it('[G-9] fails with not-found if the store has another conversation', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    await failsWith(stage.resume(parked, { storeProject: 'another', canUseTool: () => allow() }), 'not-found');
  });

  it('[G-9] fails with changed if the stored call was changed', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const key = { projectKey: 'default', sessionId: parked.sessionId };
    const entries = JSON.parse(
      JSON.stringify(await stage.entries(parked.sessionId)).replaceAll('rm -r build', 'rm -rf /'),
    ) as StoreEntry[];
    await stage.store.delete(key);
    await stage.store.append(key, entries);
    const resumed = stage.resume({ ...parked, answer: allow() } as ParkedRequest);
    await expect(resumed.turn.result()).rejects.toMatchObject({ code: 'parked-request', problem: 'changed' });
    expect(toolsOf(resumed.cli).filter(({ outcome }) => outcome === 'ran')).toEqual([]);
  });

  it('[G-9] fails with answered if its process died after the answer; a conversation resumed without it reports that', async () => {
    const agent = script()
      .onPrompt('Delete', (turn) =>
        turn.useTool('Bash', COMMAND, { permission: 'ask', durationMs: 600_000 }).say('It is gone.'),
      )
      .otherwise((turn) => turn.say('Heard.'));
    const stage = parkStage(agent);
    const { parked } = await stage.park();
    await using cli = await scriptedCli(agent);
    const elsewhere = { cli: cli.path, transport: undefined };
    const { session, turn } = stage.resume(parked, { ...elsewhere, canUseTool: () => allow() });
    await expect.poll(async () => (await cli.runs())[0]?.tools).toEqual(ran);
    process.kill(Number(session.pid), 'SIGKILL');
    await expect(turn.result()).rejects.toBeInstanceOf(ProcessError);
    await session.closed;
    await failsWith(stage.resume(parked, { canUseTool: () => allow() }), 'answered');
    const stored = async (): Promise<string> => JSON.stringify(await stage.entries(parked.sessionId));
    // The process that allowed it might still be running.
    expect(await stored()).not.toContain('It is unknown');
    expect(await stage.open({ resume: parked.sessionId }).send('Hello.').text()).toBe('Heard.');
    expect(await stored()).toContain('It is unknown whether this call ran');
  });

  it('[G-9] fails with answered if its process died after a denial; a conversation resumed without it reports that', async () => {
    const agent = script()
      .onPrompt('Delete', (turn) => turn.useTool('Bash', COMMAND, { permission: 'ask' }).silence())
      .otherwise((turn) => turn.say('Heard.'));
    const stage = parkStage(agent);
    const { parked } = await stage.park();
    const given = stage.resume({ ...parked, answer: deny('Keep it.') } as ParkedRequest);
    await expect.poll(() => toolsOf(given.cli)).toMatchObject([{ outcome: 'refused' }]);
    const entries = await stage.entries(parked.sessionId);
    const noted = entries.findIndex(({ type }) => type === 'coxswain-answered');
    expect(entries[noted]).toMatchObject({ behavior: 'deny' });
    // As if the process had died before anything else was stored.
    const key = { projectKey: 'default', sessionId: parked.sessionId };
    await given.session.close();
    await stage.store.delete(key);
    await stage.store.append(key, entries.slice(0, noted + 1));
    await failsWith(stage.resume(parked, { canUseTool: () => allow() }), 'answered');
    expect(await stage.open({ resume: parked.sessionId }).send('Hello.').text()).toBe('Heard.');
    expect(JSON.stringify(await stage.entries(parked.sessionId))).toContain('The call did not run');
  });

  it('[G-9] runs the tool once when two sessions resume it at the same time', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const both = [1, 2].map(() => stage.resume(parked, { canUseTool: () => decideLater() }));
    const ids = await Promise.all(both.map(({ turn }) => requested(turn)));
    await Promise.all(both.map(({ session }, index) => session.answerPermission(ids[index] ?? '', allow())));
    const ends = await Promise.allSettled(both.map(({ turn }) => turn.result()));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { problem: 'answered' } });
    expect(both.flatMap(({ cli }) => toolsOf(cli)).filter(({ outcome }) => outcome === 'ran')).toEqual(ran);
  });
});

describe('a PermissionRequest hook of a session that resumes a request', () => {
  it('[G-9, H-3] can deny the request, but not allow it', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    const allowing = { canUseTool: () => decideLater(), hooks: { PermissionRequest: () => allow() } };
    const { session, turn, cli } = stage.resume(parked, allowing);
    const again = await session.park(await requested(turn));
    expect(toolsOf(cli)).toEqual([]);
    const denying = { canUseTool: () => decideLater(), hooks: { PermissionRequest: () => deny('Never.') } };
    const denied = stage.resume(again, denying);
    expect(await denied.turn.text()).toBe('I leave it.');
    expect(toolsOf(denied.cli)).toEqual(refused);
  });
});

async function failsWith(
  { session, turn, cli }: ReturnType<ReturnType<typeof parkStage>['resume']>,
  problem: ParkedRequestError['problem'],
): Promise<void> {
  await expect(turn.result()).rejects.toBeInstanceOf(ParkedRequestError);
  await expect(session.ready).rejects.toMatchObject({ code: 'parked-request', problem });
  expect(toolsOf(cli)).toEqual([]);
}
