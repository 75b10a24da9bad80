import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fromCassette } from '../../src/scenario/from-cassette.ts';
import { readScenario, readScenarios } from '../../src/scenario/read-scenario.ts';
import { inFile } from './transcript-lines.ts';

const CASSETTES = fileURLToPath(new URL('../../../testkit/test/fixtures/cassettes', import.meta.url));

describe('fromCassette()', () => {
  it.each(['2.1.197', '2.1.325'])('[N-1] reads the calls of %s, and who decided about them', async (release) => {
    const [scenario, ...others] = await fromCassette(join(CASSETTES, `callbacks.${release}.ndjson`));
    expect(others).toEqual([]);
    expect(scenario).toMatchObject({ release, cwd: '<<coxswain:cwd>>', gaps: [] });
    expect(scenario?.turns).toMatchObject([{ prompt: [{ type: 'text', text: 'Do three things.' }] }]);
    expect(scenario?.results).toMatchObject({
      toolu_bash: { outcome: 'refused', how: 'hook' },
      toolu_write: { outcome: 'ran', how: 'asked' },
      toolu_add: { outcome: 'ran', text: '5' },
    });
  });

  it.each(['2.1.197', '2.1.325'])('[N-1, N-5] reads the turns of %s, also an interrupted one', async (release) => {
    const two = await readScenario(join(CASSETTES, `two-turns.${release}.ndjson`));
    expect(two.turns).toHaveLength(2);
    const interrupted = await readScenario(join(CASSETTES, `interrupt.${release}.ndjson`));
    expect(interrupted.turns).toMatchObject([
      { prompt: [{ text: 'Speak at length.' }] },
      { prompt: [{ text: 'And now?' }], replies: [[{ text: 'Second.' }]] },
    ]);
    expect(interrupted.gaps).toContainEqual({ what: 'an interrupt', turn: 1 });
  });

  it('[N-1] reads every cassette of the repository', async () => {
    for (const file of await readdir(CASSETTES)) {
      expect((await readScenarios(join(CASSETTES, file))).length, file).toBeGreaterThan(0);
    }
  });

  it('[N-5] lists what only the program did: requests, prompts that joined a turn, a resumed conversation', async () => {
    const entry = (dir: 'in' | 'out', frame: object): object => ({ at: 1, dir, frame });
    const prompt = (text: string, uuid: string): object => ({
      type: 'user',
      uuid,
      message: { role: 'user', content: text },
    });
    const echo = (text: string, uuid: string): object => ({ ...prompt(text, uuid), isReplay: true });
    const said = (text: string): object => ({
      type: 'assistant',
      parent_tool_use_id: null,
      message: { id: text, content: [{ type: 'text', text }] },
    });
    const path = await cassette(
      ['claude', '--resume', 'x'],
      [
        entry('in', { type: 'control_request', request_id: '1', request: { subtype: 'set_permission_mode' } }),
        entry('in', prompt('Go.', 'a')),
        entry('out', echo('Go.', 'a')),
        entry('in', prompt('Faster!', 'b')),
        entry('out', echo('Faster!', 'b')),
        entry('out', said('Done.')),
        entry('out', { type: 'result', subtype: 'success' }),
        entry('out', said('The command has ended.')),
        entry('out', { type: 'result', subtype: 'success' }),
      ],
    );
    const scenario = await readScenario(path);
    expect(scenario.turns).toHaveLength(1);
    expect(scenario.gaps.map(({ what }) => what)).toEqual([
      'the conversation that this run continues',
      'the request set_permission_mode of the program',
      'a prompt that joined a running turn',
      'a turn that the CLI began itself, such as after a background task',
    ]);
  });

  it('[N-6] refuses links, files that are cut off, and files that are no cassette', async () => {
    const whole = join(CASSETTES, 'two-turns.2.1.325.ndjson');
    const cut = await inFile('cut.ndjson', (await readFile(whole, 'utf8')).slice(0, -30));
    const link = join(dirname(cut), 'link.ndjson');
    await symlink(whole, link);
    const other = join(dirname(cut), 'other.ndjson');
    await writeFile(other, '{"type":"user"}\n');
    for (const path of [cut, link, other, join(dirname(cut), 'none.ndjson')]) {
      await expect(readScenario(path)).rejects.toMatchObject({ name: 'RehearsalError', problem: 'unreadable' });
    }
    await expect(fromCassette(join(CASSETTES, 'callbacks.2.1.325.ndjson'), { maxCalls: 2 })).rejects.toMatchObject({
      problem: 'too-large',
    });
  });

  it('[N-1] reads one conversation for each run', async () => {
    const text = await readFile(join(CASSETTES, 'plain-query.2.1.325.ndjson'), 'utf8');
    const run = text.split('\n').filter((line) => line !== '' && !line.includes('"dir":"end"'));
    const again = run.map((line) => line.replace('"run":1', '"run":2'));
    const path = await inFile('two.ndjson', [...run, ...again, '{"dir":"end","runs":2}', ''].join('\n'));
    expect((await readScenarios(path)).map(({ name }) => name)).toEqual(['two.ndjson, run 1', 'two.ndjson, run 2']);
    await expect(readScenario(path)).rejects.toThrow(/contains 2 conversations/);
  });
});

function cassette(argv: readonly string[], entries: readonly object[]): Promise<string> {
  const header = { coxswainCassette: 1, run: 1, recordedAt: '', cliVersion: '2.1.325', argv, mode: 'session' };
  const exit = { at: 2, dir: 'exit', exitCode: 0, signal: null, ended: 'by-itself' };
  const lines = [header, ...entries, exit, { dir: 'end', runs: 1 }];
  return inFile('own.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
