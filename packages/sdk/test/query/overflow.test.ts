import { describe, expect, it } from 'vitest';
import { BufferOverflowError } from '../../src/errors/stream.ts';
import { query } from '../../src/query/query.ts';
import { FakeCli } from '../support/fake-cli.ts';
import { inMemory } from '../support/memory-transport.ts';
import { isAlive } from '../support/processes.ts';
import { assistant, cliPath, INIT, result, watch } from '../support/say.ts';

const limits = { maxLineBytes: 1_000 };
const lineOf = (message: object): string => `${JSON.stringify(message)}\n`;
const LONG = lineOf(assistant('x'.repeat(1_000)));

describe('[W-3] an unfinished line above 1 MiB', () => {
  const LINE = lineOf(assistant('x'.repeat(1_500_000)));

  it('causes one warning per line in a query and is yielded', async () => {
    const { stream, transport } = inMemory();
    for (let line = 0; line < 2; line++) {
      for (let from = 0; from < LINE.length; from += 300_000) transport.print(LINE.slice(from, from + 300_000));
    }
    transport.say(result());
    transport.end();
    const { messages, warnings } = await stream.collect();
    expect(messages.map((message) => message.type)).toEqual(['assistant', 'assistant', 'result']);
    expect(warnings.map(({ code }) => code)).toEqual(['long-line', 'long-line']);
    expect(warnings[0]?.context).toEqual({ bytes: 1_200_000, limit: 16 * 1024 * 1024 });
  });

  it('causes no warning if it arrives complete', async () => {
    const { stream, transport } = inMemory();
    transport.print(LINE);
    transport.say(result());
    transport.end();
    expect((await stream.collect()).warnings).toEqual([]);
  });
});

describe('a line above limits.maxLineBytes', () => {
  it('[W-3] ends a query with BufferOverflowError, even if the line never ends', async () => {
    const run = watch((watching) =>
      query('hello', { cli: cliPath('endless-line.sh'), versionCheck: 'off', orphanGuard: false, ...watching }),
    );
    const before = process.memoryUsage().rss;
    const error = await run.stream.result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BufferOverflowError);
    expect(error).toMatchObject({
      code: 'buffer-overflow',
      limit: 16 * 1024 * 1024,
      message: expect.stringContaining('limits.maxLineBytes'),
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    await run.stream.closed;
    expect(isAlive(run.pid)).toBe(false);
  });

  it('[W-3] is longer than exactly the limit', async () => {
    const exactly = { ...limits, maxLineBytes: LONG.length - 1 };
    for (const [maxLineBytes, code] of [
      [exactly.maxLineBytes, undefined],
      [exactly.maxLineBytes - 1, 'buffer-overflow'],
    ] as const) {
      const { stream, transport } = inMemory({ limits: { maxLineBytes } });
      transport.print(LONG);
      transport.say(result());
      transport.end();
      expect((await stream.collect()).terminalError).toEqual(
        code && expect.objectContaining({ code, limit: maxLineBytes }),
      );
    }
  });

  it.each([
    ['in the same chunk', [`${lineOf(INIT)}${lineOf(result())}${LONG}`]],
    [
      'in pieces',
      [`${lineOf(INIT)}${lineOf(result())}`, LONG.slice(0, 600), LONG.slice(600, 1_090), LONG.slice(1_090)],
    ],
  ])('[W-3, Q-4] causes a warning after the result, which is kept: %s', async (_, chunks) => {
    const { stream, transport, warnings } = inMemory({ limits: { ...limits, drainMs: 5_000 } });
    for (const chunk of chunks) transport.print(chunk);
    transport.end();
    expect(await stream.text()).toBe('done');
    expect(warnings).toMatchObject([{ code: 'line-too-long', context: { bytes: LONG.length - 1, limit: 1_000 } }]);
  });

  it('[W-3, O-7] causes a warning after the result of a query with callbacks', async () => {
    const cli = new FakeCli();
    const run = watch((watching) =>
      query('one', { transport: cli, hooks: { Stop: () => undefined }, limits: { maxLineBytes: 1_000 }, ...watching }),
    );
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.finish(prompt);
    cli.print(LONG);
    expect(await run.stream.text()).toBe('done');
    expect(run.warnings).toMatchObject([{ code: 'line-too-long' }]);
  });

  it.each([
    ['whole in one chunk', [`${lineOf(INIT)}${LONG}${lineOf(result())}`]],
    [
      'cut in three',
      [`${lineOf(INIT)}${LONG.slice(0, 600)}`, LONG.slice(600, 1_090), `${LONG.slice(1_090)}${lineOf(result())}`],
    ],
    ['unfinished', [`${lineOf(INIT)}${LONG.slice(0, -1)}`]],
  ])('[W-3, Q-2] is preceded by all earlier messages and followed by none: %s', async (_, chunks) => {
    const { stream, transport } = inMemory({ limits });
    for (const chunk of chunks) transport.print(chunk);
    const { messages: items, terminalError } = await stream.collect();
    expect(items).toEqual([INIT]);
    expect(terminalError).toMatchObject({ code: 'buffer-overflow', limit: 1_000 });
    expect(transport.signals).toEqual(['interrupt']);
  });
});
