import type { Rolldown } from 'tsdown';
import { brokenMappings } from './tsdown.mappings.ts';

/** A line of this length ends where the next statement, or member of a class or object, begins. */
const LINE = 120;

/**
 * Breaks minified code into lines. Node prints the line of an uncaught error, and with all code in one line that is
 * all code.
 */
export function lines(): Rolldown.Plugin {
  return {
    name: 'lines',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !file.fileName.endsWith('.mjs')) continue;
        const places = breaks(starts(this.parse(file.code)));
        const map = bundle[`${file.fileName}.map`];
        if (map?.type === 'asset') {
          const { mappings, ...rest } = JSON.parse(String(map.source));
          map.source = JSON.stringify({ ...rest, mappings: brokenMappings(mappings, file.code, places) });
        }
        file.code = broken(file.code, places);
      }
    },
  };
}

/** The starts that begin a new line. */
function breaks(starts: readonly number[]): readonly number[] {
  let from = 0;
  return starts
    .toSorted((a, b) => a - b)
    .filter((start) => {
      if (start - from < LINE) return false;
      from = start;
      return true;
    });
}

function broken(code: string, places: readonly number[]): string {
  return [0, ...places].map((from, index) => code.slice(from, places[index])).join('\n');
}

/** Where statements and the members of classes and objects begin: a line may break before each of them. */
function starts(node: unknown): number[] {
  if (Array.isArray(node)) return node.flatMap(starts);
  if (typeof node !== 'object' || node === null) return [];
  const { type, body, properties } = node as { type?: unknown; body?: unknown; properties?: unknown };
  const list = type === 'Program' || type === 'ClassBody' ? body : type === 'ObjectExpression' ? properties : [];
  const own = Array.isArray(list) ? list.map(({ start }) => start) : [];
  return [...own, ...Object.values(node).flatMap(starts)];
}
