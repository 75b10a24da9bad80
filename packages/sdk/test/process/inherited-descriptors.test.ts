import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const HOST = fileURLToPath(new URL('../fixtures/hosts/has-a-folder-open.src.mjs', import.meta.url));

describe.runIf(process.platform === 'linux')('a program in isolation', () => {
  it('[C-14] does not inherit a folder that the host has inherited', () => {
    const root = openSync('/', 'r');
    // Node closes only the first descriptors that it inherits, up to the first gap.
    const stdio = Array.from({ length: 41 }, (_, number) => (number === 40 ? root : number < 3 ? 'pipe' : 'ignore'));
    const { stdout } = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), HOST], {
      stdio: stdio as ('pipe' | 'ignore' | number)[],
      encoding: 'utf8',
    });
    closeSync(root);
    expect(stdout).toMatch(/^end$/m);
    expect(stdout).toMatch(/\/40 \/dev\/null$/m);
    expect(stdout).not.toMatch(/ \/$/m);
  });
});
