import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../harness/real-cli.ts';
import releases from '../releases.json' with { type: 'json' };
import { findDrift } from './drift.ts';

describe('the unknown features of a release', () => {
  it('[K-5, W-6] are none for the pinned release, except the flag that this test adds to its help', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cox-wrapper-'));
    try {
      const cli = join(folder, 'claude');
      const help = 'if [ "$1" = --help ]; then echo "  --brand-new <x>   Like --print, but new"; fi';
      writeFileSync(cli, `#!/bin/sh\n${help}\nexec ${realCli(releases.pinned)} "$@"\n`);
      chmodSync(cli, 0o755);
      expect(await findDrift(cli)).toEqual({ 'flags of --help': ['--brand-new'] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
