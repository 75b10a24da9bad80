import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsdown';
import { lines } from './tsdown.lines.ts';

const ENTRY = fileURLToPath(new URL('src/index.ts', import.meta.url));
const ENGINE = fileURLToPath(new URL('src/entry/engine.ts', import.meta.url));

const KEPT = { function: true, class: true };

export default defineConfig({
  entry: { index: 'src/index.ts', mcp: 'src/mcp/index.ts', transport: 'src/transport.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  // Functions and classes keep their names, for stack traces.
  minify: { compress: { keepNames: KEPT }, mangle: { keepNames: KEPT, toplevel: true }, codegen: true },
  treeshake: true,
  plugins: [lines()],
  // No comments in the types that say which file they come from: there are 170, and nobody has the files.
  inputOptions: { experimental: { attachDebugInfo: 'none' } },
  // Whole names between the files: with letters for them the types would say every name twice.
  outputOptions: {
    minifyInternalExports: false,
    codeSplitting: { groups: [chunk('entry', ENTRY, 2), chunk('engine', ENGINE, 1)] },
  },
});

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

interface ChunkGroup {
  name(id: string, graph: ModuleGraph): string | null;
  /** A module of several groups goes to the highest. */
  readonly priority: number;
}

/**
 * One file instead of the dozens that who-shares-what-with-whom would make, at half a millisecond each. `entry` is what an
 * import of the package loads, `engine` what the first call loads besides; what few programs use stays by itself.
 */
function chunk(name: string, start: string, priority: number): ChunkGroup {
  return { name: (id, graph) => (loadedWith(start, graph).has(id) ? name : null), priority };
}

const closures = new Map<string, Set<string>>();

/** A module and everything it imports, as far as it does so at once. */
function loadedWith(start: string, graph: ModuleGraph): ReadonlySet<string> {
  const known = closures.get(start);
  if (known) return known;
  const closure = new Set([start]);
  for (const id of closure) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) closure.add(imported);
  closures.set(start, closure);
  return closure;
}
