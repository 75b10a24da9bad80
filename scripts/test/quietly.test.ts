import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const QUIETLY = new URL('../suites/quietly.mjs', import.meta.url).href;

/** Runs a program that writes to both outputs and exits with this code; prints a line if it succeeded. */
function build(code: number): { status: number | null; stdout: string; stderr: string } {
  const tool = `console.log('built'); console.error('[tool] Node.js is deprecated'); process.exit(${code})`;
  const program = `
    import { quietly } from ${JSON.stringify(QUIETLY)};
    quietly('building …', process.execPath, ['--eval', ${JSON.stringify(tool)}]);
    console.log('the demo');`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
}

describe('npm run demo', () => {
  it('[K-1] prints only the demo, and no output of the build tool', () => {
    expect(build(0)).toMatchObject({ status: 0, stdout: 'the demo\n', stderr: '' });
    expect(manifest.scripts.demo).toBe('node --import tsx scripts/demo/demo.mjs');
  });

  it('[K-1] shows the output of a failed build, and exits with its code', () => {
    expect(build(3)).toMatchObject({ status: 3, stdout: '', stderr: 'built\n[tool] Node.js is deprecated\n' });
  });
});
