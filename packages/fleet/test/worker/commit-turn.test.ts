import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentJob } from '../../src/agent/define-agent.ts';
import { agentCalls } from '../../src/worker/agent-calls.ts';
import type { Claim } from '../../src/worker/claim.ts';
import { type AgentEnd, TurnCommit } from '../../src/worker/commit-turn.ts';
import type { RunContext } from '../../src/worker/run-context.ts';
import type { TurnWriter } from '../../src/worker/writer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const DRAINED = { draining: true } as const;

/** A run whose agent has ended; `save` is that of its workspace. */
function endedRun(save: () => Promise<void>) {
  const claim = { id: 't1', key: 'ann', retries: 0, parked: { approval: 'a1' } };
  const context = {
    agent: { options: () => ({}), workspace: { prepare: () => ({ cwd: '/' }), save } },
    onStep: async () => {},
    onError: () => {},
    redact: <T>(value: T) => value,
    warm: { settle: () => undefined },
    queue: {},
    worker: 'w1',
  };
  const leave = vi.fn(async () => {});
  const writer = { leave, commit: async (_queue: unknown, { outcome }: { outcome: unknown }) => outcome };
  const calls = agentCalls({ onFault: () => {}, ms: 900_000, signal: new AbortController().signal });
  // The members that these tests reach.
  const commit = new TurnCommit(
    claim as unknown as Claim,
    context as unknown as RunContext,
    writer as unknown as TurnWriter,
    calls,
  );
  const end: AgentEnd = { reached: 'sent', job: { id: 't1' } as AgentJob, acted: false };
  return { commit, end, leave };
}

describe('the end of a turn on a worker that drains', () => {
  it('[F-11, F-35] saves the files, and keeps the answer of a parked turn, however late the agent has ended', async () => {
    const save = vi.fn(async () => {});
    const { commit, end, leave } = endedRun(save);
    commit.drain(1_000);
    // Meanwhile the last output of the agent waits for a database that is down.
    vi.advanceTimersByTime(60_000);
    expect(await commit.park(end, 'a1', DRAINED, 's1')).toBeNull();
    expect(save).toHaveBeenCalledOnce();
    expect(leave).toHaveBeenCalledOnce();
  });

  it('[F-11] ends a turn whose files are not saved in time, with an error that names the function', async () => {
    const { commit, end, leave } = endedRun(() => new Promise(() => {}));
    commit.drain(1_000);
    const parked = commit.park(end, 'a1', DRAINED, 's1');
    await vi.advanceTimersByTimeAsync(60_000);
    const error = { code: 'agent-function', message: expect.stringContaining('workspace.save') };
    expect(await parked).toMatchObject({ kind: 'failed', error });
    expect(leave).not.toHaveBeenCalled();
  });

  it('[F-11] limits a save that runs when the worker begins to drain', async () => {
    const { commit, end } = endedRun(() => new Promise(() => {}));
    const stored = commit.store(end, {}, 's1');
    commit.drain(1_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await stored).toMatchObject({ kind: 'failed', error: { code: 'agent-function' } });
  });
});
