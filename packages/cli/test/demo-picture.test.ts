import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('docs/demo.svg', () => {
  it('[L-1] shows what the demo prints; else record it again: npm run demo:record', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/demo.ts'], {
      cwd: ROOT,
    });
    const squeezed = (text: string): string => text.replaceAll(/\s+/g, '');
    expect(linesOf(readFileSync(`${ROOT}/docs/demo.svg`, 'utf8')).map(squeezed)).toEqual(
      stdout.split('\n').filter(Boolean).map(squeezed),
    );
  });
});

/** The words of the picture, line by line, from top to bottom. */
function linesOf(svg: string): string[] {
  const lines = new Map<string, string>();
  for (const [, y = '', text = ''] of svg.matchAll(/<text class="w" x="[^"]*" y="([^"]*)"[^>]*>([^<]*)</g)) {
    lines.set(y, (lines.get(y) ?? '') + text);
  }
  return [...lines.values()].map((line) =>
    line.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  );
}
