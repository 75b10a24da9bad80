import type { Rolldown } from 'tsdown';

/** A line that has come this far ends where the next statement, or member of a class or object, begins. */
const LINE = 120;

/**
 * Breaks minified code into lines. Node prints the line an uncaught error comes from, and with all code in one line that is
 * all code.
 */
export function lines(): Rolldown.Plugin {
  return {
    name: 'lines',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && file.fileName.endsWith('.mjs'))
          file.code = broken(file.code, starts(this.parse(file.code)));
      }
    },
  };
}

function broken(code: string, breaks: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const start of breaks.toSorted((a, b) => a - b)) {
    if (start - from < LINE) continue;
    parts.push(code.slice(from, start));
    from = start;
  }
  return [...parts, code.slice(from)].join('\n');
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
