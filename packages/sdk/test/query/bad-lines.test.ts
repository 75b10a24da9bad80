import { describe, expect, it } from 'vitest';
import {
  JsonDecodeError,
  TooManyDecodeErrors,
  UnexpectedMessageError,
  Utf8DecodeError,
} from '../../src/errors/stream.ts';
import type { StreamItem } from '../../src/stream/items.ts';
import { inMemory } from '../support/memory-transport.ts';
import { INIT, result } from '../support/say.ts';

const RESULT = JSON.stringify(result());

/** The items of a query with these lines and exit 0. */
async function read(lines: readonly (string | Uint8Array)[], options: Parameters<typeof inMemory>[0] = {}) {
  const run = inMemory(options);
  for (const line of lines) transportLine(run.transport, line);
  run.transport.end();
  return { ...(await run.stream.collect()), run };
}

function transportLine(transport: ReturnType<typeof inMemory>['transport'], line: string | Uint8Array): void {
  transport.output.push(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
}

const kinds = (items: readonly StreamItem[]): string[] => items.map(({ kind }) => kind);

describe('a line of a query that is not a message', () => {
  it('[W-4] causes a non-terminal error with the exact line or bytes', async () => {
    const { items, errors } = await read(['  not { json ', Uint8Array.of(0x7b, 0xff, 0x7d), RESULT]);
    expect(kinds(items)).toEqual(['error', 'error', 'message']);
    expect(errors[0]).toBeInstanceOf(JsonDecodeError);
    expect(errors[0]).toMatchObject({ code: 'json-decode', line: '  not { json ' });
    expect(errors[1]).toBeInstanceOf(Utf8DecodeError);
    expect(errors[1]).toMatchObject({ code: 'utf8-decode', bytes: Uint8Array.of(0x7b, 0xff, 0x7d) });
  });

  it('[W-4] causes a terminal error with the count and the last error if it is the fifth in a row', async () => {
    const lines = [Uint8Array.of(0xff), 'one', 'two', 'three', 'four', 'five', RESULT];
    const { items, errors, terminalError, run } = await read(lines);
    expect(kinds(items)).toEqual(['error', 'error', 'error', 'error']);
    expect(terminalError).toBeInstanceOf(TooManyDecodeErrors);
    expect(terminalError).toMatchObject({
      code: 'too-many-decode-errors',
      count: 5,
      last: { code: 'json-decode', line: 'four' },
    });
    expect(errors).toHaveLength(4);
    expect(String(terminalError)).toMatch(/5 lines in a row.*Check the option cli/);
    await expect(run.stream.result()).rejects.toBe(terminalError);
  });

  it('[W-4] is no longer counted after any decoded line', async () => {
    const bad = ['a', 'b', 'c', 'd'];
    const { errors, terminalError } = await read([...bad, JSON.stringify(INIT), ...bad, RESULT]);
    expect(errors).toHaveLength(8);
    expect(terminalError).toBeUndefined();
  });

  it('[W-4] is not counted if it is blank, and does not reset the count', async () => {
    const { terminalError } = await read(['a', '', 'b', '   ', 'c', 'd', '\r', 'e', RESULT]);
    expect(terminalError).toMatchObject({ count: 5 });
  });

  it('[W-4] is counted up to limits.maxDecodeErrors', async () => {
    const { items, terminalError } = await read(['a', 'b', RESULT], { limits: { maxDecodeErrors: 2 } });
    expect(kinds(items)).toEqual(['error']);
    expect(terminalError).toMatchObject({ count: 2, last: { line: 'b' } });
  });

  it('[W-4] causes a warning after a result, and is not counted', async () => {
    const { items, terminalError, run } = await read([RESULT, ...Array(9).fill('noise')]);
    expect(terminalError).toBeUndefined();
    expect(kinds(items)).toEqual(['message', ...Array(9).fill('warning')]);
    expect(run.warnings).toHaveLength(9);
    expect(run.warnings[0]).toMatchObject({ code: 'bad-line-after-result', context: { error: { line: 'noise' } } });
    expect(await run.stream.text()).toBe('done');
  });

  it('[W-5] causes an error with the exact text if it is JSON, and is not counted', async () => {
    const odd = ['[1, 2]', '"text"', '17', 'null', '{ "no": "type" }', '{"type":3}', 'true'];
    const { items, errors, terminalError } = await read([...odd, RESULT]);
    expect(terminalError).toBeUndefined();
    expect(kinds(items)).toEqual([...odd.map(() => 'error'), 'message']);
    for (const error of errors) expect(error).toBeInstanceOf(UnexpectedMessageError);
    expect(errors.map((error) => (error as UnexpectedMessageError).rawJson)).toEqual(odd);
  });

  it('[W-5, W-4] does not reset the count if it is JSON', async () => {
    const { terminalError } = await read(['a', 'b', '[]', 'c', 'd', 'e', RESULT]);
    expect(terminalError).toMatchObject({ code: 'too-many-decode-errors', count: 5 });
  });

  it('[W-9, W-4] does not fail the run if it is the banner of a wrapper', async () => {
    const { items, run } = await read(['Welcome to the wrapper!', 'Using node 20', JSON.stringify(INIT), RESULT]);
    expect(kinds(items)).toEqual(['error', 'error', 'message', 'message']);
    expect(await run.stream.text()).toBe('done');
  });
});
