import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runShell } from './run-cox.ts';
import { inTerminal } from './terminal/pty.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('the demo', () => {
  it('[K-1] waits for a key on a terminal, and continues without input in a pipe', async () => {
    const ask = `import { keyPress } from '${ROOT}/examples/demo-keys.ts';
      console.log('Press y or n.');
      console.log('pressed', await keyPress(['y', 'n'], AbortSignal.timeout(10_000)));`;
    const program = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', ask];
    const line = program.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    await using person = inTerminal(line, { cwd: ROOT });
    await person.until(/Press y or n\./);
    await person.pressUntil('n', /pressed n$/);
    expect(await person.ended).toBe(0);
    expect((await runShell(program, { cwd: ROOT })).stdout).toBe('Press y or n.\npressed undefined\n');
  });
});

describe('docs/demo.svg', () => {
  it('[L-1] shows the output of the demo (if not, run: npm run do -- demo:record)', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/demo.ts'], {
      cwd: ROOT,
    });
    // The picture was recorded on a terminal.
    const squeezed = (text: string): string => text.replace(/\(no terminal.*\)/, '').replaceAll(/\s+/g, '');
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
