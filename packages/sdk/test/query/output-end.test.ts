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

describe('the exit before the last output', () => {
  it('[Q-9] output after the exit is still read', async () => {
    const { transport, state } = await collecting();
    transport.exit(0);
    await pass(0);
    transport.say(INIT);
    await pass(300);
    transport.say(result());
    await pass(100);
    transport.leave();
    await pass(0);
    expect(state.collected).toEqual({ items: expect.any(Array), messages: [INIT, result()], warnings: [], errors: [] });
  });

  it('[Q-9] a pipe that another process keeps open is given up after 500 ms', async () => {
    const { transport, state } = await collecting();
    transport.say(INIT, result());
    transport.exit(0);
    await pass(499);
    expect(state.collected).toBeUndefined();
    await pass(2);
    expect(state.collected).toEqual({ items: expect.any(Array), messages: [INIT, result()], warnings: [], errors: [] });
  });

  it('[Q-9, Q-5] a pipe that stays open is given up without a result, too', async () => {
    const { transport, state } = await collecting();
    transport.exit(1);
    await pass(501);
    expect(state.collected?.terminalError).toMatchObject({ code: 'process', exitCode: 1 });
  });

  it('[Q-9] a slow reader loses nothing: only the waiting counts', async () => {
    const { stream, transport } = inMemory();
    const iterator = stream[Symbol.asyncIterator]();
    const seen: unknown[] = [];
    for (const text of ['a', 'b', 'c']) transport.say(assistant(text));
    transport.say(result());
    transport.leave();
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
      seen.push(step.value);
      await pass(2_000);
    }
    expect(seen).toEqual([assistant('a'), assistant('b'), assistant('c'), result()]);
  });

  it('[Q-9, Q-5, R-5] stderr output after the exit is waited for', async () => {
    const { transport, state } = await collecting();
    transport.output.end();
    transport.exit(1);
    await pass(200);
    transport.errorOutput.push(Buffer.from("error: unknown option '--x'\n"));
    transport.errorOutput.end();
    await pass(0);
    expect(state.collected?.terminalError).toMatchObject({ stderrTail: "error: unknown option '--x'\n" });
  });

  it('[Q-9] a stderr that stays open delays the end by at most 500 ms', async () => {
    const { transport, state } = await collecting();
    transport.say(result());
    transport.output.end();
    transport.exit(0);
    await pass(500);
    expect(state.collected).toEqual({ items: expect.any(Array), messages: [result()], warnings: [], errors: [] });
  });
});

describe('stdout that ends while the process lives', () => {
  it('[Q-9] the exit may come 500 ms later', async () => {
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

  it('[Q-9] without a result and an exit the CLI is ended, and that is a TransportError', async () => {
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

  it('[Q-9, R-2] with a result the run is over, and the CLI has its grace period', async () => {
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

  it('[Q-4, Q-9] a failure to read after the last result does not lose it', async () => {
    const { transport, state } = await collecting();
    transport.say(INIT, result());
    await pass(1);
    transport.output.fail(new Error('EIO'));
    await pass(6_000);
    expect(state.collected).toMatchObject({ messages: [INIT, result()] });
    expect(state.collected).not.toHaveProperty('terminalError');
  });

  it('[Q-9] a failure to read is a TransportError with its cause', async () => {
    const { transport, state } = await collecting();
    const cause = new Error('EIO');
    transport.say(INIT);
    transport.output.fail(cause);
    await pass(500);
    expect(state.collected).toMatchObject({ messages: [INIT], terminalError: { code: 'transport', cause } });
    expect(transport.signals).toEqual(['interrupt']);
  });
});
