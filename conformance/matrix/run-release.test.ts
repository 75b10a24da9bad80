import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../harness/real-cli.ts';
import releases from '../releases.json' with { type: 'json' };
import { type Compatibility, surprisesOf, wordsOf } from './compatibility.ts';
import { runRelease } from './run-release.ts';

const only = (...ids: string[]) => ({ only: new Set(ids) });

describe('the probes', () => {
  it('[K-5, C-6, W-9] report the features of the pinned release, and lines that are not JSON, which fail the run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cox-wrapper-'));
    try {
      const cli = join(folder, 'claude');
      const intrude = 'case "$*" in *--input-format*) echo not json;; esac';
      writeFileSync(cli, `#!/bin/sh\n${intrude}\nexec ${realCli(releases.pinned)} "$@"\n`);
      chmodSync(cli, 0o755);
      const seen: string[] = [];
      const onProgress = (done: number, of: number) => void seen.push(`${done}/${of}`);
      const run = await runRelease(cli, { ...only('query', 'session', 'set_model', '--effort'), onProgress });
      expect(wordsOf(run)).toEqual({ query: 'yes', session: 'yes', set_model: 'yes', '--effort': 'yes' });
      expect(seen).toEqual(['1/3', '2/3', '3/3']);
      expect([...run.nonJson.keys()].sort()).toEqual(['session', 'set_model']);
      for (const lines of run.nonJson.values()) expect(lines).toHaveLength(1);
      const record = {
        version: '9.9.9',
        kind: 'native' as const,
        verdicts: wordsOf(run),
        nonJsonLines: run.nonJson.size,
      };
      const known: Compatibility = { newest: '', features: [], releases: [] };
      expect(surprisesOf(record, known)).toEqual(['9.9.9: 2 lines on stdout were not JSON']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the record of a release', () => {
  it('[K-5] is compared with the release that introduced each feature', () => {
    const feature = (id: string, since?: string) =>
      ({ id, group: 'session', title: id, ...(since && { since }) }) as const;
    const known: Compatibility = {
      newest: '2.0.0',
      releases: [],
      features: [
        feature('a', '1.5.0'),
        feature('b', '1.5.0'),
        feature('c', '2.0.0'),
        feature('d', '2.0.0'),
        feature('e'),
      ],
    };
    const verdicts = { a: 'yes', b: 'no: not a word', c: 'differs: somewhat', d: 'needs 2.0.0', e: 'no: never' };
    expect(surprisesOf({ version: '1.9.0', kind: 'native', nonJsonLines: 0, verdicts }, known)).toEqual([
      '1.9.0: b does not work, but began with 1.5.0 (no: not a word)',
      '1.9.0: c works, but began with 2.0.0 (differs: somewhat)',
    ]);
  });
});
