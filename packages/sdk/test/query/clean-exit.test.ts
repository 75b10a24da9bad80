import { describe, expect, it } from 'vitest';
import { inMemory } from '../support/memory-transport.ts';
import { assistant, INIT, result, type Step, say } from '../support/say.ts';

const codesOf = async (steps: readonly Step[]): Promise<string[]> => {
  const { items, terminalError } = await say(steps).stream.collect();
  expect(terminalError).toBeUndefined();
  return items.map((item) =>
    item.kind === 'message' ? item.message.type : item.kind === 'warning' ? item.warning.code : item.error.code,
  );
};

describe('exit 0 without a result', () => {
  it('[Q-7] causes the warning clean-exit-no-result', async () => {
    expect(await codesOf([{ message: INIT }, { exit: 0 }])).toEqual(['system', 'clean-exit-no-result']);
  });

  it('[Q-7] causes the same warning after an external SIGINT', async () => {
    const run = say([{ exitAt: ['INT', 0] }, { message: INIT }, { stay: true }]);
    const codes: string[] = [];
    for await (const item of run.stream.items()) {
      if (item.kind === 'message') process.kill(run.pid, 'SIGINT');
      else if (item.kind === 'warning') codes.push(item.warning.code);
    }
    expect(codes).toEqual(['clean-exit-no-result']);
    await expect(run.stream.result()).rejects.toMatchObject({ code: 'no-result' });
  });

  it('[Q-7] causes the warning empty-response if there is no output', async () => {
    expect(await codesOf([{ exit: 0 }])).toEqual(['empty-response']);
    expect(await codesOf([{ err: 'something\n' }, { exit: 0 }])).toEqual(['empty-response']);
  });
});

describe('an unfinished last line', () => {
  it('[Q-7] is decoded if it is valid JSON', async () => {
    expect(await codesOf([{ message: INIT }, { out: JSON.stringify(result()) }])).toEqual(['system', 'result']);
    expect(await codesOf([{ out: `${JSON.stringify(result())}\r` }])).toEqual(['result']);
  });

  it('[Q-7] otherwise causes the warning incomplete-last-line with the line', async () => {
    const { items } = await say([{ message: INIT }, { out: '{"type":"resu' }]).stream.collect();
    expect(items).toMatchObject([
      { kind: 'message' },
      { kind: 'warning', warning: { code: 'incomplete-last-line', context: { line: '{"type":"resu' } } },
      { kind: 'warning', warning: { code: 'clean-exit-no-result' } },
    ]);
  });

  it('[Q-7] does not affect the result before it', async () => {
    const run = say([{ message: result() }, { out: '{"type":"ass' }]);
    expect(await run.stream.text()).toBe('done');
    expect(run.warnings.map(({ code }) => code)).toEqual(['incomplete-last-line']);
  });

  it('[Q-7, W-1] that is cut within a character is reported by its length', async () => {
    const whole = Buffer.from(`${JSON.stringify(assistant('ä'))}\n`);
    const cut = [...whole.subarray(0, whole.indexOf(0xc3) + 1)];
    const run = say([{ message: INIT }, { bytes: cut }]);
    expect((await run.stream.collect()).messages).toEqual([INIT]);
    const [line] = run.warnings;
    expect(line).toMatchObject({
      code: 'incomplete-last-line',
      context: { line: `(${cut.length} bytes that are not UTF-8)` },
    });
  });
});

it('[W-1, Q-7] a query yields the same messages if every byte arrives separately', async () => {
  const { stream, transport } = inMemory();
  const text = '{"type":"system","subtype":"init"}\r\n\n{"type":"assistant","t":"ä"}\n{"type":"result"}';
  for (const byte of Buffer.from(text)) transport.output.push(Uint8Array.of(byte));
  transport.end();
  expect((await stream.collect()).messages).toEqual([
    { type: 'system', subtype: 'init' },
    { type: 'assistant', t: 'ä' },
    { type: 'result' },
  ]);
});
