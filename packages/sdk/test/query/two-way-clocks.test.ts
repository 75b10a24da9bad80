import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { allow, decideLater } from '../../src/callbacks/decisions.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import { FakeCli } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();
afterEach(() => void vi.unstubAllEnvs());

/** A started query with callbacks that is being read, and how it ended. */
async function reading(options: AgentOptions): Promise<{ cli: FakeCli; state: { end?: unknown } }> {
  const cli = new FakeCli();
  const stream = query('hi', { transport: cli, canUseTool: () => allow(), ...options });
  const state: { end?: unknown } = {};
  void stream.collect().then(({ terminalError }) => {
    state.end = terminalError ?? 'ended';
  });
  onTestFinished(async () => {
    cli.die();
    await stream.close();
  });
  cli.begin(await cli.got('prompt hi'));
  await pass(0);
  return { cli, state };
}

describe('the timeouts of a query with callbacks', () => {
  it.each([
    ['timeoutMs', 'COXSWAIN_TIMEOUT_MS'],
    ['idleTimeoutMs', 'COXSWAIN_IDLE_TIMEOUT_MS'],
  ] as const)('[O-5, O-7, Q-12] use %s of the call, not %s', async (option, variable) => {
    vi.stubEnv(variable, '300');
    const { state } = await reading({ [option]: 10_000 });
    await pass(9_000);
    expect(state.end).toBeUndefined();
    await pass(1_000);
    expect(state.end).toMatchObject({ code: 'timeout', kind: option, ms: 10_000 });
    // Without a value in the call, the environment counts.
    const { state: other } = await reading({});
    await pass(299);
    expect(other.end).toBeUndefined();
    await pass(1);
    expect(other.end).toMatchObject({ code: 'timeout', kind: option, ms: 300 });
  });

  it('[P-7, Q-12] do not count idle time while an answer is left to answerPermission()', async () => {
    const { cli, state } = await reading({ canUseTool: () => decideLater(), idleTimeoutMs: 1_000 });
    cli.askPermission('p1');
    await pass(60_000);
    expect(state.end).toBeUndefined();
  });

  it('[Q-12] restart the idle timeout after the answer of a callback', async () => {
    let answer: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const canUseTool = () => asked.then(() => allow());
    const { cli, state } = await reading({ canUseTool, idleTimeoutMs: 1_000 });
    await pass(900);
    cli.askPermission('p1');
    await pass(950);
    answer();
    await pass(990);
    expect(state.end).toBeUndefined();
    await pass(10);
    expect(state.end).toMatchObject({ code: 'timeout', kind: 'idleTimeoutMs' });
  });
});
