import { apiError, text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, openSession, type RunEvent, type Session } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { realCli, supportedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { transcriptsOf } from '../harness/transcripts.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe.concurrent.each(supportedVersions)('a restarting session on %s', (version) => {
  it('[A-2] restarts under the same id after a kill before its first prompt, and restores its hooks, tools and settings after a later kill', async () => {
    const call = toolUse('mcp__calc__add', { a: 2, b: 3 });
    await using scene = await openScene([text('first answer'), call, text('second answer')], { version });
    const asked: string[] = [];
    await using session = restarting(scene, version, {
      model: 'claude-sonnet-4-5',
      hooks: { PreToolUse: (input) => void asked.push(`hook ${input.tool_name}`) },
      mcpServers: { calc },
    });
    const { id } = session;
    await session.ready;
    await kill(session);
    expect(await session.send('first prompt').text()).toBe('first answer');
    expect(session.id).toBe(id);
    expect(scene.api.conversation.at(-1)?.sessionId).toBe(id);

    await waitUntil(() => transcriptsOf(scene.home).includes('first answer'), { what: 'the transcript' });
    await session.setModel('claude-haiku-4-5');
    await session.setPermissionMode('acceptEdits');
    await kill(session);
    const { messages: items, terminalError } = await session.send('second prompt').collect();
    expect(terminalError).toBeUndefined();
    expect(items.find((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject({
      permissionMode: 'acceptEdits',
      session_id: session.id,
    });
    expect(asked).toEqual(['hook mcp__calc__add']);
    const last = scene.api.conversation.at(-1);
    expect(last?.model).toContain('haiku');
    expect(last?.toolResults).toMatchObject([{ text: expect.stringMatching(/^5/) }]);
    expect(JSON.stringify(last?.body.messages)).toMatch(/first prompt.*first answer.*second prompt/s);
    expect(session.restarts).toBe(2);
  });

  it('[A-3] pauses when the API is overloaded', async () => {
    await using scene = await openScene([apiError(529, { times: 2 }), text('an answer')], { version });
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    await using session = restarting(scene, version, { maxRetries: 1, onEvent });
    const [first, second] = [session.send('first prompt'), session.send('second prompt')];
    await expect(first.text()).rejects.toMatchObject({ name: 'ResultError', outcome: 'api-error' });
    expect(session.paused).toMatchObject({ reason: 'overloaded' });
    expect(await second.text()).toBe('an answer');
    expect(session.paused).toBeUndefined();
    const [ended, began] = [at(events, 'turn-ended'), events.filter(({ type }) => type === 'turn-started')[1]?.at ?? 0];
    expect(began - ended).toBeGreaterThanOrEqual(290);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', warning: expect.objectContaining({ code: 'api-retry' }) }),
    );
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['paused', 'resumed']));
  });
});

/** Kills the CLI and waits until the session detects it: a prompt could be written to the pipe of a dying CLI. */
async function kill(session: Session): Promise<void> {
  const events = session.events();
  process.kill(session.pid ?? 0, 'SIGKILL');
  for await (const { type } of events) if (type === 'restarting') break;
}

/** A restarting session that uses only the scene. */
function restarting(scene: Scene, version: string, options: AgentOptions = {}): Session {
  const { home } = scene;
  return openSession({
    cli: realCli(version),
    cwd: home.project,
    inheritEnv: false,
    env: home.env(),
    ...options,
    restart: { delayMs: 20, rateLimit: { delayMs: 300, jitter: 0 } },
  });
}

/** A tool server without a library, one object for all CLIs. */
const calc: NonNullable<AgentOptions['mcpServers']>[string] = ({ method, params }) => {
  if (method === 'initialize') {
    const serverInfo = { name: 'calc', version: '1' };
    return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } };
  const { a, b } = Object(params?.arguments);
  return { result: { content: [{ type: 'text', text: String(a + b) }] } };
};

function at(events: readonly RunEvent[], type: RunEvent['type']): number {
  return events.find((event) => event.type === type)?.at ?? 0;
}
