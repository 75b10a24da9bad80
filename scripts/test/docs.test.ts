import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../packages/sdk/src/errors/base.ts';
import { errorTable } from '../docs/error-table.ts';
import { allOptions } from '../docs/option-table.ts';
import { warningTable } from '../docs/warning-table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = (name: string): string => readFileSync(`${ROOT}/docs/${name}.md`, 'utf8');

describe('the reference pages', () => {
  it('[E-5] match the output of npm run docs', () => {
    const done = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/docs/docs.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(done.stderr).toBe('');
    expect(done.status).toBe(0);
  });

  it('[E-5] name every error and every warning', () => {
    for (const name of Object.keys(errorTable)) expect(page('errors')).toContain(`\`${name}\`<br>\`${codeOf(name)}\``);
    for (const code of Object.keys(warningTable)) expect(page('warnings')).toContain(`| \`${code}\` |`);
  });

  it('[O-1] name every option', () => {
    for (const { name } of allOptions()) expect(page('options')).toContain(`| \`${name}\` |`);
  });
});
