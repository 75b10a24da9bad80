import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/report/events.ts';
import { inMemory } from '../support/memory-transport.ts';
import { assistant, INIT, ORDINARY, type Run, result, say } from '../support/say.ts';

const typesOf = (events: readonly RunEvent[]): string[] =>
  events.map((event) => (event.type === 'state-changed' ? event.state : event.type));

describe('onEvent', () => {
  it('[E-3] reports a run from start to end, in order, with a gapless seq from 0', async () => {
    const before = Date.now();
    const run = say([{ message: INIT }, { out: 'noise\n' }, { message: { type: 'news' } }, { message: result() }]);
    for await (const _ of run.stream);
    expect(typesOf(run.events)).toEqual(['started', 'warning', 'warning', 'pending-end', 'exit', 'closed', 'ended']);
    expect(run.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const { at } of run.events) expect(at).toBeGreaterThanOrEqual(before);
    expect(run.events[0]).toMatchObject({ type: 'started', pid: run.pid });
    expect(run.events[4]).toMatchObject({ type: 'exit', exitCode: 0, signal: null, ended: 'by-itself' });
  });

  it('[E-3] receives events that JSON does not change', async () => {
    const { stream, transport, events } = inMemory();
    transport.print('bad\n[]\n');
    transport.output.push(Uint8Array.of(0xff, 0x0a));
    transport.say({ type: 'news' }, result(), assistant('late'));
    transport.errorOutput.push(Buffer.from('words\n'));
    transport.print('cut');
    transport.end(0);
    for await (const _ of stream);
    expect(events.length).toBeGreaterThan(8);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  it('[E-3] receives failures whose fields JSON does not change', async () => {
    const run = say([{ message: INIT }, { err: 'oh\n' }, { exit: 3 }]);
    await run.stream.collect();
    const last = run.events.at(-1);
    expect(last).toMatchObject({
      type: 'failed',
      error: { name: 'ProcessError', code: 'process', exitCode: 3, stderrTail: 'oh\n' },
    });
    expect(JSON.parse(JSON.stringify(run.events))).toEqual(run.events);
  });

  it.each([
    ['a cycle', Object.assign({ name: 'cycle' }, { self: null as unknown })],
    ['a function', { call: () => 1 }],
    ['a bigint', { big: 1n }],
  ])('[E-3] receives an abort that JSON can represent, even if its reason contains %s', async (_, reason) => {
    if ('self' in reason) reason.self = reason;
    const controller = new AbortController();
    const { stream, events } = inMemory({ signal: controller.signal });
    controller.abort(reason);
    await stream.collect();
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { name: 'AbortError', code: 'abort' } });
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  it('[E-3] receives exactly one of ended, stopped and failed per run', async () => {
    const ended = say([...ORDINARY]);
    const failed = say([{ exit: 2 }]);
    const stopped = say([{ stay: true }]);
    await Promise.all([ended.stream.collect(), failed.stream.collect(), stopped.stream.started]);
    for (const run of [ended, failed, stopped]) await run.stream.close();
    const terminal = (events: readonly RunEvent[]) =>
      typesOf(events).filter((type) => /^(ended|stopped|failed)$/.test(type));
    expect([ended, failed, stopped].map(({ events }) => terminal(events))).toEqual([
      ['ended'],
      ['failed'],
      ['stopped'],
    ]);
    for (const run of [ended, failed, stopped])
      expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, i) => i));
    for (const run of [ended, failed, stopped])
      expect(typesOf(run.events).filter((type) => type === 'exit')).toHaveLength(1);
  });

  it.each<[how: string, last: string, end: (run: Run, controller: AbortController) => Promise<unknown>]>([
    ['close()', 'stopped', ({ stream }) => stream.close()],
    [
      'break',
      'stopped',
      async ({ stream }) => {
        for await (const _ of stream) break;
      },
    ],
    [
      'an abort',
      'failed',
      ({ stream }, controller) => {
        controller.abort();
        return stream.collect();
      },
    ],
  ])('[E-3, O-7] receives, after %s of a running CLI, its exit and %s as the last events', async (_, last, end) => {
    const controller = new AbortController();
    const run = say([{ message: INIT }, { stay: true }], { signal: controller.signal });
    await run.stream.started;
    await end(run, controller);
    await run.stream.closed;
    expect(typesOf(run.events).slice(-2)).toEqual(['exit', last]);
  });

  it('[E-3] receives the same warnings as items(), onWarning and stream.warnings', async () => {
    const run = say([{ message: { type: 'news' } }, { message: result() }, { exit: 7 }]);
    const { warnings } = await run.stream.collect();
    expect(warnings.map(({ code }) => code)).toEqual(['unknown-message-type', 'non-zero-exit-after-result']);
    expect(run.warnings).toEqual(warnings);
    expect(run.stream.warnings).toEqual(warnings);
    expect(run.events.flatMap((event) => (event.type === 'warning' ? [event.warning] : []))).toEqual(warnings);
    for (const { code, message, context } of warnings) {
      expect(code).toMatch(/^[a-z-]+$/);
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(context).toBeTypeOf('object');
    }
  });
});
