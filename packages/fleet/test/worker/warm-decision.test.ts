import { describe, expect, it } from 'vitest';
import { agentTerms, isBoundToProcess, sameTerms } from '../../src/worker/agent-terms.ts';
import { sameOptions } from '../../src/worker/same-options.ts';
import {
  type ClaimedState,
  endsBecause,
  excess,
  isStaleBecause,
  MIN_FREE_BYTES,
  type RunEnd,
  type WarmState,
} from '../../src/worker/warm-decision.ts';

const end: RunEnd = {
  reached: 'finished',
  outcome: 'completed',
  reasons: {},
  wasParked: false,
  isCommand: false,
  modeChanged: false,
  isIdle: true,
  isBound: false,
};
const claimed: ClaimedState = { epoch: 7, warmClaim: 'a', sessionId: 's', isParked: false };
const warm: WarmState = { epoch: 7, token: 'a', sessionId: 's', alive: true, isIdle: true };
const plenty = 10 * MIN_FREE_BYTES;

describe('a process after a turn', () => {
  it('[F-37] stays only after a turn that was completed and left nothing behind', () => {
    expect(endsBecause(end)).toBeUndefined();
  });

  it.each<[string, Partial<RunEnd>]>([
    ['not-completed', { reached: 'sent' }],
    ['not-completed', { outcome: 'max-turns' }],
    ['not-completed', { outcome: undefined }],
    ['ended-early', { reasons: { cancelledBy: 'ann' } }],
    ['ended-early', { reasons: { draining: true } }],
    ['ended-early', { reasons: { lost: 'taken' } }],
    ['ended-early', { reasons: { fault: { error: new Error('x') } } }],
    ['resumed', { wasParked: true }],
    ['command', { isCommand: true }],
    ['permission-mode', { modeChanged: true }],
    ['background-work', { isIdle: false }],
    ['options', { isBound: true }],
  ])('[F-37] ends: %s, %o', (why, facts) => {
    expect(endsBecause({ ...end, ...facts })).toBe(why);
  });
});

describe('a process and the next turn', () => {
  it('[F-37] fit if the conversation is exactly as the process left it', () => {
    expect(isStaleBecause(claimed, warm)).toBeUndefined();
  });

  it.each<[string, Partial<ClaimedState>, Partial<WarmState>]>([
    ['parked', { isParked: true }, {}],
    ['exited', {}, { alive: false }],
    ['worked', {}, { isIdle: false }],
    ['moved-on', { epoch: 8 }, {}],
    ['moved-on', { epoch: 6 }, {}],
    ['moved-on', { warmClaim: null }, {}],
    ['moved-on', { warmClaim: 'b' }, {}],
    ['moved-on', { sessionId: 'another' }, {}],
    ['moved-on', { sessionId: null }, {}],
    ['moved-on', {}, { sessionId: undefined }],
  ])('[F-37] do not fit: %s, %o %o', (why, before, process) => {
    expect(isStaleBecause({ ...claimed, ...before }, { ...warm, ...process })).toBe(why);
  });
});

describe('the processes that a worker keeps', () => {
  const kept = [3, 1, 2].map((since) => ({ key: `k${since}`, since: since * 1_000 }));
  const keys = (limits: { keepWarmMs: number; maxWarm: number }, now: number, freeBytes = plenty): string[] =>
    excess(kept, limits, { now, freeBytes }).map(({ key }) => key);

  it('[F-37] end after their time, the least recently used first above the maximum, and one by one if memory is short', () => {
    expect(keys({ keepWarmMs: 60_000, maxWarm: 3 }, 5_000)).toEqual([]);
    expect(keys({ keepWarmMs: 60_000, maxWarm: 1 }, 5_000)).toEqual(['k2', 'k1']);
    expect(keys({ keepWarmMs: 3_000, maxWarm: 3 }, 5_000)).toEqual(['k2', 'k1']);
    expect(keys({ keepWarmMs: 60_000, maxWarm: 3 }, 5_000, MIN_FREE_BYTES - 1)).toEqual(['k1']);
    expect(keys({ keepWarmMs: 60_000, maxWarm: 0 }, 5_000)).toHaveLength(3);
  });
});

describe('the options of two turns', () => {
  const server = { type: 'sdk' };
  const base = { model: 'haiku', env: { A: '1' }, tools: ['Bash'], canUseTool: () => ({ decision: 'allow' }) as const };

  it('[F-37] are the same with equal data, and with other functions only where a session calls those of the current turn', () => {
    const hooks = (matcher: string) => ({ PreToolUse: [{ matcher, run: () => {} }] });
    expect(sameOptions(base, { ...base, env: { A: '1' }, canUseTool: () => ({ decision: 'allow' }) })).toBe(true);
    expect(sameOptions({ hooks: hooks('Bash') }, { hooks: hooks('Bash') })).toBe(true);
    expect(sameOptions({ hooks: hooks('Bash') }, { hooks: hooks('Read') })).toBe(false);
    expect(sameOptions(base, { ...base, env: { A: '2' } })).toBe(false);
    expect(sameOptions(base, { ...base, tools: ['Bash', 'Read'] })).toBe(false);
    expect(sameOptions(base, { model: 'haiku' })).toBe(false);
    const { canUseTool: _, ...without } = base;
    expect(sameOptions(base, without)).toBe(false);
    const mcpServers = { a: server } as never;
    expect(sameOptions({ mcpServers }, { mcpServers: { a: server } as never })).toBe(true);
    class Other {}
    const [one, other] = [new Other(), new Other()];
    expect(sameOptions({ mcpServers: { a: one } as never }, { mcpServers: { a: other } as never })).toBe(false);
    expect(sameOptions({ mcpServers: { a: one } as never }, { mcpServers: { a: one } as never })).toBe(true);
    expect(sameOptions({ spawn: (() => {}) as never }, { spawn: (() => {}) as never })).toBe(false);
    const deep = (): object => Array.from({ length: 60 }).reduce<object>((inner) => ({ inner }), {});
    expect(sameOptions({ settings: deep() as never }, { settings: deep() as never })).toBe(false);
  });

  it('[F-37] are bound to one process with a budget, changes of permissions, and hooks for its start or end', () => {
    expect(isBoundToProcess(base)).toBe(false);
    expect(isBoundToProcess({ hooks: { PreToolUse: () => {} } })).toBe(false);
    for (const options of [
      { maxBudgetUsd: 1 },
      { taskBudget: 1_000 },
      { allowPermissionUpdates: true },
      { extraArgs: { 'max-budget-usd': '1' } },
      { hooks: { SessionStart: () => {} } },
      { hooks: { SessionEnd: () => {} } },
    ])
      expect(isBoundToProcess(options)).toBe(true);
  });

  it('[F-37] differ if the environment of the worker has changed, or the folder is another one', async () => {
    const before = await agentTerms({ cwd: '/tmp' });
    expect(sameTerms(before, await agentTerms({ cwd: '/tmp' }))).toBe(true);
    expect(sameTerms(before, { ...(await agentTerms({ cwd: '/tmp' })), folder: '1:2' })).toBe(false);
    process.env.COXSWAIN_TEST_WARM = '1';
    const after = await agentTerms({ cwd: '/tmp' });
    delete process.env.COXSWAIN_TEST_WARM;
    expect(sameTerms(before, after)).toBe(false);
  });
});
