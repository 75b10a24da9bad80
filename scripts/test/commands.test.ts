import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GROUPS } from '../commands.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
const commands = GROUPS.flatMap((group) => group.commands);

/** Scripts of the reader's own project in the guides, and of commands that are compared with permission rules. */
const ELSEWHERE = new Set(['agent:test', 'deploy', 'a']);

const PLACES = ['docs', 'README.md', 'CONTRIBUTING.md', '.github', '.ci', 'scripts', 'bench', 'vitest.config.ts'];

describe('the commands of this repository', () => {
  it('are all there: every `npm run …` of the pages, workflows and scripts names one', () => {
    const files = execFileSync('git', ['ls-files', ...PLACES], { cwd: ROOT, encoding: 'utf8' }).split('\n');
    const read = files.filter((file) => /\.(md|ya?ml|mjs|ts)$|run$/.test(file) && !file.startsWith('scripts/test/'));
    expect(read.length).toBeGreaterThan(150);
    expect(read.flatMap(missingIn)).toEqual([]);
  });

  it('each name one file or more, and all of these exist', () => {
    const steps = commands.flatMap(({ run }) => run.map((args) => args.find((arg) => /\.m?[jt]s$/.test(arg)) ?? ''));
    const ofNpm = Object.values(scripts).flatMap((line) => [...line.matchAll(/\b(?:scripts|bench)\/\S+/g)].map(String));
    expect([...steps, ...ofNpm].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('have one name each, and a line in the list', () => {
    const names = [...Object.keys(scripts), ...commands.map(({ name }) => name)];
    expect(names).toEqual([...new Set(names)]);
    const list = execFileSync(process.execPath, ['scripts/do.mjs'], { cwd: ROOT, encoding: 'utf8' });
    for (const { name } of commands) expect(list).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'));
    expect(commands.filter(({ does }) => does.length > 95)).toEqual([]);
  });

  it('an unknown one exits with 2 and the list', () => {
    const unknown = (): string =>
      execFileSync(process.execPath, ['scripts/do.mjs', 'test:everything'], {
        cwd: ROOT,
        stdio: 'pipe',
        encoding: 'utf8',
      });
    expect(unknown).toThrow(
      expect.objectContaining({ status: 2, stderr: expect.stringContaining("no command 'test:everything'") }),
    );
  });

  it('the tests of .ci/run are the command of the README', () => {
    expect(read('README.md')).toMatch(/^npm install && npm test$/m);
    expect(read('.ci/run')).toMatch(/^ {2}npm install && npm test$/m);
  });
});

function missingIn(file: string): string[] {
  return [...read(file).matchAll(/npm run(?: -s| --silent)? (?:(do) -- )?([a-z][\w-]*(?::\w[\w-]*)*)/g)].flatMap(
    ([text, isDo, name = '']) => {
      const exists = isDo ? commands.some((command) => command.name === name) : name in scripts || ELSEWHERE.has(name);
      return exists ? [] : [`${file}: ${text}`];
    },
  );
}
