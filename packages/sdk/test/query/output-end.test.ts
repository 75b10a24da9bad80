import { describe, expect, it } from 'vitest';
import type { Collected } from '../../src/stream/items.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { inMemory } from '../support/memory-transport.ts';
import { assistant, INIT, result } from '../support/say.ts';

fakeClock();

/** A run that is being collected. */
async function collecting(...parameters: Parameters<typeof inMemory>) {
  const run = inMemory(...parameters);
  const state: { collected?: Collected } = {};
  void run.stream.collect().then((collected) => {
    state.collected = collected;
  });
  await run.stream.started;
  return Object.assign(run, { state });
}

describe('an exit before the last output', () => {
  it('[Q-9] does not lose later output', async () => {
    const { transport, state } = await collecting();
    transport.exit(0);
    await pass(0);
    transport.say(INIT);
    await pass(300);
    transport.say(result());
    await pass(100);
    transport.end();
    await pass(0);
    expect(state.collected).toEqual({ items: expect.any(Array), messages: [INIT, result()], warnings: [], errors: [] });
  });

  it('[Q-9] is followed by at most 500 ms of reading if another process keeps the pipe open', async () => {
    const { transport, state } = await collecting();
    transport.say(INIT, result());
    transport.exit(0);
    await pass(499);
    expect(state.collected).toBeUndefined();
    await pass(2);
    expect(state.collected).toEqual({ items: expect.any(Array), messages: [INIT, result()], warnings: [], errors: [] });
  });

  it('[Q-9, Q-5] is followed by at most 500 ms of reading even without a result', async () => {
    const { transport, state } = await collecting();
    transport.exit(1);
    await pass(501);
    expect(state.collected?.terminalError).toMatchObject({ code: 'process', exitCode: 1 });
  });

  it('[Q-9] does not lose output of a slow reader: only waiting counts', async () => {
    const { stream, transport } = inMemory();
    const iterator = stream[Symbol.asyncIterator]();
    const seen: unknown[] = [];
    for (const text of ['a', 'b', 'c']) transport.say(assistant(text));
    transport.say(result());
    transport.end();
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
      seen.push(step.value);
      await pass(2_000);
    }
    expect(seen).toEqual([assistant('a'), assistant('b'), assistant('c'), result()]);
  });

  it('[Q-9, Q-5, R-5] does not lose later stderr output', async () => {
    const { transport, state } = await collecting();
    transport.output.end();
    transport.exit(1);
    await pass(200);
    transport.errorOutput.push(Buffer.from("error: unknown option '--x'\n"));
    transport.errorOutput.end();
    await pass(0);
    expect(state.collected?.terminalError).toMatchObject({ stderrTail: "error: unknown option '--x'\n" });
  });

  it('[Q-9] is delayed by at most 500 ms if stderr stays open', async () => {
    const { transport, state } = await collecting();
    transport.say(result());
    transport.output.end();
    transport.exit(0);
    await pass(500);
    expect(state.collected).toEqual({ items: expect.any(Array), messages: [result()], warnings: [], errors: [] });
  });
});

describe('a stdout that ends while the process runs', () => {
  it('[Q-9] allows 500 ms for the exit', async () => {
    const { transport, state } = await collecting();
    transport.say(result());
    transport.output.end();
    await pass(499);
    transport.errorOutput.end();
    transport.exit(3);
    await pass(0);
    expect(state.collected?.warnings).toMatchObject([{ code: 'non-zero-exit-after-result' }]);
    expect(transport.signals).toEqual([]);
  });

  it('[Q-9] ends the CLI with a TransportError if there is neither a result nor an exit', async () => {
    const { transport, state } = await collecting();
    transport.say(INIT);
    transport.output.end();
    await pass(499);
    expect(state.collected).toBeUndefined();
    await pass(1);
    expect(state.collected).toMatchObject({
      messages: [INIT],
      terminalError: { code: 'transport', message: expect.stringContaining('closed its stdout without a result') },
    });
    expect(transport.signals).toEqual(['interrupt']);
  });

  it('[Q-9, R-2] ends the run if there is a result, and the CLI has its grace period', async () => {
    const { transport, state, events } = await collecting();
    transport.say(result());
    transport.output.end();
    await pass(500);
    expect(state.collected).toEqual({ items: expect.any(Array), messages: [result()], warnings: [], errors: [] });
    await pass(4_999);
    expect(transport.signals).toEqual([]);
    await pass(1);
    expect(transport.signals).toEqual(['interrupt']);
    expect(events.slice(-2)).toMatchObject([{ type: 'exit' }, { type: 'ended' }]);
  });

  it('[Q-4, Q-9] does not lose the result because of a later read failure', async () => {
    const { transport, state } = await collecting();
    transport.say(INIT, result());
    await pass(1);
    transport.output.fail(new Error('EIO'));
    await pass(6_000);
    expect(state.collected).toMatchObject({ messages: [INIT, result()] });
    expect(state.collected).not.toHaveProperty('terminalError');
  });

  it('[Q-9] causes a TransportError with its cause after a read failure', async () => {
    const { transport, state } = await collecting();
    const cause = new Error('EIO');
    transport.say(INIT);
    transport.output.fail(cause);
    await pass(500);
    expect(state.collected).toMatchObject({ messages: [INIT], terminalError: { code: 'transport', cause } });
    expect(transport.signals).toEqual(['interrupt']);
  });
});
