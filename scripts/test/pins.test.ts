import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import dropIn from '../../packages/drop-in/package.json' with { type: 'json' };
import { PINNED_VERSION } from '../../packages/sdk/src/cli/version.ts';
import { PINS, releaseOf, replacePins } from '../follow/pins.mjs';
import { replaceHashes } from '../follow/tarball-hashes.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The drop-in can have had releases of its own since. */
const pinned = { ...releaseOf(PINNED_VERSION), dropIn: dropIn.version };

describe('the pinned release', () => {
  it('is named by every listed text', () => {
    const missing = PINS.flatMap(([file, ...texts]) =>
      replacePins(readFileSync(join(ROOT, file), 'utf8'), texts, pinned, pinned).missing.map((text) => [file, text]),
    );
    expect(missing).toEqual([]);
  });

  it('is named by no test, so that no test changes with it', () => {
    const names = [pinned.cli, pinned.sdk].map((version) => version.replaceAll('.', '\\\\?.'));
    const literal = new RegExp(`(?<![\\d.])(?:${names.join('|')})(?!\\d)`);
    const tests = testFiles();
    expect(tests.length).toBeGreaterThan(300);
    expect(tests.filter((file) => literal.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });
});

describe('moving the pins', () => {
  const [from, to] = [releaseOf('2.1.300'), releaseOf('2.1.301')];

  it('replaces the release in the listed texts, and nothing else', () => {
    const content = 'pinned 2.1.300; measured on 2.1.300; "0.3.30000"';
    expect(replacePins(content, ['pinned {cli}', '"{dropIn}"'], from, to)).toEqual({
      content: 'pinned 2.1.301; measured on 2.1.300; "0.3.30100"',
      missing: [],
    });
  });

  it('reports a missing text', () => {
    expect(replacePins('nothing', ['pinned {cli}'], from, to)).toEqual({
      content: 'nothing',
      missing: ['pinned 2.1.300'],
    });
  });

  it('refuses a version that is not a release of the CLI', () => {
    expect(() => releaseOf('3.0.0')).toThrow('"3.0.0" is not a release of the CLI');
  });

  it('replaces the hash of each platform', () => {
    const rows = "  'linux-x64': 'sha512-old==',\n  'win32-arm64': 'sha512-old==',\n";
    expect(replaceHashes(rows, (platform) => `sha512-of-${platform}`)).toBe(
      "  'linux-x64': 'sha512-of-linux-x64',\n  'win32-arm64': 'sha512-of-win32-arm64',\n",
    );
  });
});

/** The tests of all packages, of the scripts and of the conformance suite. */
function testFiles(): string[] {
  const folders = ['packages', 'scripts', 'conformance', 'examples'];
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'));
}
