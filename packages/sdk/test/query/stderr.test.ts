import { describe, expect, it } from 'vitest';
import { INIT, ORDINARY, result, say } from '../support/say.ts';

describe('the stderr of a query', () => {
  it('[W-9, R-5] is never mixed into stdout; onStderr and events receive it line by line', async () => {
    const run = say([
      { err: 'one\ntw' },
      { message: INIT },
      { err: 'o\r\n{"type":"result"}\n' },
      { message: result() },
      { err: 'last words' },
    ]);
    const { messages: items, errors } = await run.stream.collect();
    expect(items).toEqual([INIT, result()]);
    expect(errors).toEqual([]);
    expect(run.stderr).toEqual(['one', 'two', '{"type":"result"}', 'last words']);
    expect(run.events.flatMap((event) => (event.type === 'stderr' ? [event.line] : []))).toEqual(run.stderr);
  });

  it('[R-5, C-10] is redacted', async () => {
    const key = 'sk-ant-api03-abcdefghij';
    const run = say([{ err: `using ${key} and hunter2-hunter2\n` }, ...ORDINARY], {
      apiKey: key,
      env: { DATABASE_PASSWORD: 'hunter2-hunter2' },
    });
    await run.stream.text();
    expect(run.stderr).toEqual(['using [redacted] and [redacted]']);
  });

  it('[R-5] is drained even if neither it nor the stream is read', async () => {
    const run = say([{ err: ['x', 2_000_000] }, { exit: 3 }], { onStderr: undefined });
    expect(await run.stream.closed).toMatchObject({ exitCode: 3 });
    await expect(run.stream.result()).rejects.toMatchObject({ stderrTail: 'x'.repeat(8 * 1024) });
  });

  it('[R-5] ends before the stream', async () => {
    const run = say([{ message: result() }, { err: ['a\n', 3_000] }]);
    await run.stream.text();
    expect(run.stderr).toHaveLength(3_000);
  });
});
