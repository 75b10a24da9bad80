import { faultyStore, type Script, script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { allow, askUser, decideLater } from '../../src/callbacks/decisions.ts';
import { CannotParkError, type ParkObstacle, TurnParkedError } from '../../src/errors/park.ts';
import { NoSuchPermissionError } from '../../src/errors/session.ts';
import { requestHash } from '../../src/park/parked-request.ts';
import type { OpenSessionOptions } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { ownServer } from '../mcp/calculators.ts';
import { COMMAND, parkStage, requested, toolsOf } from './stage.ts';

describe('session.park()', () => {
  it('[G-9, G-5] ends the process and the turn, and returns plain JSON', async () => {
    const stage = parkStage();
    const { session, turn, parked } = await stage.park({ model: 'claude-sonnet-4-5', permissionMode: 'plan' });
    await expect(turn.result()).rejects.toBeInstanceOf(TurnParkedError);
    expect(turn.state).toBe('parked');
    await session.closed;
    expect(stage.cli.runs()[0]?.exit).toEqual({ code: null, signal: 'SIGKILL' });
    expect(JSON.parse(JSON.stringify(parked))).toEqual({
      sessionId: session.id,
      request: expect.objectContaining({ toolName: 'Bash', input: COMMAND, toolUseId: 'toolu_scripted0001_1' }),
      hash: requestHash(parked.request),
      model: 'claude-sonnet-4-5',
      permissionMode: 'plan',
      parkedAt: expect.any(Number),
    });
    expect(toolsOf(stage.cli)).toEqual([]);
  });

  it('[G-9, G-2] waits until the call is stored: the CLI mirrors it after the request', async () => {
    const stage = parkStage();
    let storedBefore: string | undefined;
    const session = stage.open({
      async canUseTool() {
        storedBefore = JSON.stringify(await stage.entries(session.id ?? ''));
        return decideLater();
      },
    });
    const { sessionId } = await session.park(await requested(session.send('Delete it.')));
    expect(storedBefore).not.toContain('tool_use');
    const entries = await stage.entries(sessionId);
    expect(JSON.stringify(entries.at(-1))).toContain('"type":"tool_use","id":"toolu_scripted0001_1"');
    // Without a marker, a CLI that resumes the conversation does not ask.
    expect(JSON.stringify(entries)).not.toContain('hook_deferred_tool');
  });

  it('[G-9, S-9] fails the waiting turns', async () => {
    const stage = parkStage();
    const session = stage.open({ canUseTool: () => decideLater() });
    const id = await requested(session.send('Delete it.'));
    const later = session.send('And then?');
    await session.park(id);
    await expect(later.result()).rejects.toMatchObject({ code: 'session-stopped' });
  });

  it('[G-9, M-8] works with a CLI that cannot report its costs', async () => {
    const agent = script().otherwise((turn) => turn.useTool('Bash', COMMAND, { permission: 'ask' }).say('Gone.'));
    const { turn } = await parkStage(agent.onRequest('get_usage', { error: 'No such request.' })).park();
    expect(turn.state).toBe('parked');
    expect(await turn.cost()).toMatchObject({ costUsd: 0, complete: false });
  });

  it('[G-9] refuses an unknown request', async () => {
    const session = parkStage().open({ canUseTool: () => decideLater() });
    const turn = session.send('Delete it.');
    const id = await requested(turn);
    await expect(session.park('another')).rejects.toBeInstanceOf(NoSuchPermissionError);
    await session.answerPermission(id, allow());
    expect(await turn.text()).toBe('It is gone.');
  });
});

/** An obstacle, its cause, and the agent and options that lead to it. */
interface Case {
  readonly obstacle: ParkObstacle;
  readonly when: string;
  readonly agent?: Script;
  readonly options?: OpenSessionOptions;
}

const asks = { permission: 'ask', result: 'done' } as const;
const command = { command: 'rm -r build' };
const old = script()
  .version('2.1.200')
  .otherwise((turn) => turn.useTool('mcp__files__delete', {}, asks).say('Done.'));

const cases: readonly Case[] = [
  { obstacle: 'no-store', when: 'the session has no store', options: { sessionStore: undefined } },
  {
    obstacle: 'host-tool',
    when: 'the tool runs in this process',
    agent: script().otherwise((turn) => turn.useTool('mcp__calc__add', { a: 1, b: 2 }).say('Done.')),
    options: { mcpServers: { calc: ownServer() }, hooks: { PreToolUse: () => askUser() } },
  },
  {
    obstacle: 'subagent',
    when: 'a subagent asks',
    agent: script().otherwise((turn) =>
      turn
        .useAgent({ description: 'look', prompt: 'Look.' }, (sub) => sub.useTool('Bash', command, asks).say('Gone.'))
        .say('Done.'),
    ),
  },
  {
    obstacle: 'background-work',
    when: 'a command runs in the background',
    agent: script().otherwise((turn) =>
      turn.runInBackground('npm test', { permission: 'allow', runsMs: 1 }).useTool('Bash', command, asks).say('Done.'),
    ),
  },
  { obstacle: 'mcp-tool', when: 'the release does not wait for the MCP server', agent: old },
  {
    obstacle: 'structured-output',
    when: 'the release loses the schema',
    agent: script()
      .version('2.1.200')
      .otherwise((turn) => turn.useTool('Bash', command, asks).structuredOutput({ done: true })),
    options: { outputSchema: { type: 'object', properties: { done: { type: 'boolean' } } } },
  },
];

describe('session.park() of a request that cannot be parked', () => {
  it.each(cases)(
    '[G-9] fails with $obstacle because $when, and the request still waits',
    async ({ obstacle, agent, options }) => {
      const stage = parkStage(agent);
      const session = stage.open({ canUseTool: () => decideLater(), ...options });
      const turn = session.send('Delete it.');
      const id = await requested(turn);
      await refused(session, id, obstacle);
      await session.answerPermission(id, allow());
      await turn.result();
      expect(toolsOf(stage.cli)).toContainEqual(expect.objectContaining({ outcome: 'ran' }));
    },
  );

  it('[G-9, G-4] fails with not-stored if the store does not accept the call, and the request still waits', async () => {
    const store = faultyStore(memoryStore());
    const stage = parkStage();
    const limits = { storeTimeoutMs: 60, storeAttempts: 1, storeRetryMs: 1 };
    const session = stage.open({
      sessionStore: store,
      limits,
      canUseTool() {
        store.fault = { fault: 'fail' };
        return decideLater();
      },
    });
    const turn = session.send('Delete it.');
    const id = await requested(turn);
    await refused(session, id, 'not-stored');
    store.fault = undefined;
    await session.answerPermission(id, allow());
    expect(await turn.text()).toBe('It is gone.');
  });

  it("[G-9] fails with no-turn if the request belongs to the CLI's own turn", async () => {
    const agent = script().otherwise((turn) =>
      turn
        .runInBackground('npm test', { permission: 'allow' }, (after) =>
          after.useTool('Bash', command, asks).say('Done.'),
        )
        .say('Started.'),
    );
    const session = parkStage(agent).open({ canUseTool: () => decideLater() });
    await session.send('Test it.').result();
    await expect.poll(() => session.pendingPermissions().length).toBe(1);
    await refused(session, session.pendingPermissions()[0]?.id ?? '', 'no-turn');
  });
});

async function refused(session: Session, id: string, obstacle: ParkObstacle): Promise<void> {
  const error = await session.park(id).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(CannotParkError);
  expect(error).toMatchObject({ code: 'cannot-park', id, obstacle });
  expect(session.pendingPermissions().map((pending) => pending.id)).toEqual([id]);
}
