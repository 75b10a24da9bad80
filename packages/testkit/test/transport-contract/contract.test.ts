import { TransportError } from 'coxswain/errors';
import type { Transport } from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { ContractViolation, type TransportRule, transportContract } from '../../src/index.ts';
import { scriptedBench } from './scripted-bench.ts';

/** The rules for a transport with one change. */
function rulesFor(change: (inner: Transport) => object, timeoutMs?: number): readonly TransportRule[] {
  const bench = scriptedBench((inner) => () => {
    const transport = inner();
    const changed = change(transport);
    return new Proxy(transport, {
      get(target, key) {
        if (key in changed) return Reflect.get(changed, key);
        const value = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  });
  return transportContract({ ...bench, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

async function* changed(source: AsyncIterable<Uint8Array>, change: (chunk: Uint8Array) => unknown) {
  for await (const chunk of source) yield change(chunk);
}

async function readAhead(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return chunks;
}

describe('the contract of transports', () => {
  it('[A-1] accepts a correct transport', async () => {
    for (const { run } of rulesFor(() => ({}))) await run();
  });

  it.each([
    [
      'yields text instead of bytes',
      (inner: Transport) => ({ output: changed(inner.output, (chunk) => Buffer.from(chunk).toString()) }),
      'output: stdout delivers every byte once, in order and unchanged, and then ends',
    ],
    [
      'decodes and encodes again',
      (inner: Transport) => ({ output: changed(inner.output, (chunk) => Buffer.from(Buffer.from(chunk).toString())) }),
      'output: stdout delivers every byte once, in order and unchanged, and then ends',
    ],
    [
      'reads ahead without bound',
      (inner: Transport) => {
        const all = readAhead(inner.output);
        return {
          output: (async function* () {
            yield* await all;
          })(),
        };
      },
      'output: an agent without a reader waits, and nothing is lost',
    ],
    [
      'mixes the two outputs',
      (inner: Transport) => ({ errorOutput: changed(inner.output, (chunk) => chunk) }),
      'output: stdout and stderr are separate',
    ],
    [
      'cannot be stopped during a pending read',
      (inner: Transport) => ({ output: changed(inner.output, (chunk) => chunk) }),
      'output: stopping the iteration ends a pending read, and later reads return the end',
    ],
    [
      'ignores a write that is too late',
      (inner: Transport) => ({ write: (text: string) => inner.write(text).catch(() => {}) }),
      'input: a write to an agent that has exited is a typed error; endInput() does nothing',
    ],
    [
      'rejects with an untyped error',
      (inner: Transport) => ({
        write: (text: string) =>
          inner.write(text).catch(() => {
            throw new Error('EPIPE');
          }),
      }),
      'input: endInput() ends the input permanently',
    ],
    [
      'throws instead of rejecting',
      () => ({
        write: () => {
          throw new TransportError('no');
        },
      }),
      'input: a write before the start is a typed error',
    ],
    [
      'rejects in exited',
      (inner: Transport) => ({
        exited: inner.exited.then(() => {
          throw new TransportError('exited');
        }),
      }),
      'exit: exited also settles without a reader',
    ],
    [
      'starts twice',
      (inner: Transport) => {
        let started: Promise<void> | undefined;
        return {
          start: (request: Parameters<Transport['start']>[0]) => {
            started ??= inner.start(request);
            return started;
          },
        };
      },
      'start: a second start is a typed error and does not affect the agent',
    ],
    [
      'does not report how it was ended',
      (inner: Transport) => ({ exited: inner.exited.then((report) => ({ ...report, ended: 'by-itself' })) }),
      'signal: kill ends an agent, as the report states',
    ],
    ['has no kill', () => ({ signal: () => {} }), 'signal: kill ends an agent that ignores other signals'],
  ] as const)('[A-1] rejects a transport that %s', async (_, change, name) => {
    const rule = rulesFor(change, 400).find((one) => one.name === name);
    await expect(rule?.run()).rejects.toBeInstanceOf(ContractViolation);
  });
});
