import type { Transport } from 'coxswain';
import { TransportError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { ContractViolation, type TransportRule, transportContract } from '../../src/index.ts';
import { scriptedBench } from './scripted-bench.ts';

/** The rules for a transport with one thing changed. */
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
      'hands over text instead of bytes',
      (inner: Transport) => ({ output: changed(inner.output, (chunk) => Buffer.from(chunk).toString()) }),
      'output: the bytes of stdout, each once, in order, as they are, and then its end',
    ],
    [
      'decodes and encodes again',
      (inner: Transport) => ({ output: changed(inner.output, (chunk) => Buffer.from(Buffer.from(chunk).toString())) }),
      'output: the bytes of stdout, each once, in order, as they are, and then its end',
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
      'output: is pulled: an agent without a reader has to wait, and nothing is lost',
    ],
    [
      'mixes the two outputs',
      (inner: Transport) => ({ errorOutput: changed(inner.output, (chunk) => chunk) }),
      'output: stdout and stderr are apart',
    ],
    [
      'cannot be left while it waits',
      (inner: Transport) => ({ output: changed(inner.output, (chunk) => chunk) }),
      'output: leaving the iteration ends a read that waits, and later ones find the end',
    ],
    [
      'swallows a write that comes too late',
      (inner: Transport) => ({ write: (text: string) => inner.write(text).catch(() => {}) }),
      'input: a write to an agent that has left is a typed error; endInput() is silent',
    ],
    [
      'rejects with any error',
      (inner: Transport) => ({
        write: (text: string) =>
          inner.write(text).catch(() => {
            throw new Error('EPIPE');
          }),
      }),
      'input: endInput() is the end of the input, once and for all',
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
          throw new TransportError('gone');
        }),
      }),
      'exit: settles also without a reader',
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
      'start: a second start is a typed error and leaves the agent alone',
    ],
    [
      'does not say how it was ended',
      (inner: Transport) => ({ exited: inner.exited.then((report) => ({ ...report, ended: 'by-itself' })) }),
      'signal: kill ends an agent that does not mind it, and the report says so',
    ],
    ['has no kill', () => ({ signal: () => {} }), 'signal: kill ends an agent that ignores the others'],
  ] as const)('[A-1] finds a transport that %s', async (_, change, name) => {
    const rule = rulesFor(change, 400).find((one) => one.name === name);
    await expect(rule?.run()).rejects.toBeInstanceOf(ContractViolation);
  });
});
