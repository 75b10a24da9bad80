import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolPath } from '../fetch/tool.mjs';

describe('npm run lint', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coxswain-lint-'));
    copyFileSync(fileURLToPath(new URL('../../biome.json', import.meta.url)), join(folder, 'biome.json'));
    writeFileSync(join(folder, 'work.ts'), 'export async function work(): Promise<void> {}\n');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['an unawaited promise', `work();`, 'noFloatingPromises'],
    ['a promise without a rejection handler', `work().then(() => 1);`, 'noFloatingPromises'],
    ['an async function where none is expected', `[1].forEach(async () => work());`, 'noMisusedPromises'],
  ])('[E-4] catches %s', (_what, statement, rule) => {
    const { status, output } = lint(statement);
    expect(output).toContain(rule);
    expect(status).toBe(1);
  });

  it('accepts an awaited promise', () => {
    expect(lint('await work();')).toMatchObject({ status: 0 });
  });

  function lint(statement: string): { status: number | null; output: string } {
    const source = `import { work } from './work.ts';\n\nexport async function start(): Promise<void> {\n  ${statement}\n}\n`;
    writeFileSync(join(folder, 'start.ts'), source);
    const done = spawnSync(process.execPath, [toolPath('biome'), 'lint', '--vcs-enabled=false', '--colors=off'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status: done.status, output: done.stdout + done.stderr };
  }
});
