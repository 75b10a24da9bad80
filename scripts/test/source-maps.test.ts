import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenMappings } from '../../packages/sdk/tsdown.mappings.ts';
import { publishedPackages } from '../release/packages.mjs';

/** A throw of ours: not of the bundler's own code for `using`. */
const THROW = /(?<=^|[\s;{}])throw (?=new (?!TypeError\("(?:using|Object)))/g;

describe.each(publishedPackages().map(({ folder, manifest }) => ({ name: manifest.name, folder })))(
  'the source maps of $name',
  ({ folder }) => {
    const output = existsSync(join(folder, 'dist')) ? join(folder, 'dist') : folder;
    const modules = readdirSync(output).filter((name) => name.endsWith('.mjs'));

    it('contain the sources, and lead every throw to its source', () => {
      let throws = 0;
      for (const name of modules) {
        const file = join(output, `${name}.map`);
        if (!existsSync(file)) continue;
        const payload: SourceMapPayload = JSON.parse(readFileSync(file, 'utf8'));
        const map = new SourceMap(payload);
        for (const [line, text] of readFileSync(join(output, name), 'utf8').split('\n').entries()) {
          for (const { index } of text.matchAll(THROW)) {
            expect(sourceAt(map, payload, line, index), `${name}:${line + 1}:${index + 1}`).toContain('throw ');
            throws += 1;
          }
        }
      }
      expect(throws).toBeGreaterThan(0);
    });

    it('exist for every file with code', () => {
      const without = modules.filter((name) => !existsSync(join(output, `${name}.map`)));
      // The scripted CLI is copied, and stands alone.
      const code = without.filter((name) => !isGlue(readFileSync(join(output, name), 'utf8')));
      expect(code.filter((name) => name !== 'scripted-cli.mjs')).toEqual([]);
    });
  },
);

describe('the mappings of broken lines', () => {
  it('keep their sources, and count their columns from the new line', () => {
    // Columns 0, 4 and 8 of the only line.
    expect(brokenMappings('AAAA,IAAI,IAAI', 'a();b();c();', [4, 8])).toBe('AAAA;AAAI;AAAI');
  });

  it('count the lines that the code had before', () => {
    expect(brokenMappings('AAAA;AACA,IAAI', 'a();\nb();c();', [9])).toBe('AAAA;AACA;AAAI');
  });

  it('have an empty line for a line without a source', () => {
    expect(brokenMappings('AAAA', 'a();b();', [4])).toBe('AAAA;');
  });
});

/** The line of the source. */
function sourceAt(map: SourceMap, payload: SourceMapPayload, line: number, column: number): string | undefined {
  const entry = map.findEntry(line, column);
  if (!('originalSource' in entry)) return undefined;
  const source = payload.sourcesContent[payload.sources.indexOf(entry.originalSource)];
  return source?.split('\n')[entry.originalLine];
}

/** Only imports and exports, comments, or a helper of the bundler. */
function isGlue(code: string): boolean {
  const rest = code.replace(/^\s*(?:import|export)\b[^;]*;|^\s*\/\/.*$/gm, '').trim();
  return rest === '' || /rolldown|usingCtx/.test(code) || code.length < 400;
}
