import { defineConfig } from 'tsdown';
import { lines } from './tsdown.lines.ts';

const KEPT = { function: true, class: true };

/** Modules, not their types (`.d.ts`), and nothing that is loaded only when it is needed. */
const SHARED = /\/src\/(?!transcripts\/|cli\/install).*(?<!\.d)\.ts$/;

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    types: 'src/type-names.ts',
    observe: 'src/observe.ts',
    mcp: 'src/mcp/index.ts',
    transcripts: 'src/transcripts/index.ts',
    store: 'src/store/index.ts',
    cli: 'src/cli/index.ts',
    transport: 'src/transport.ts',
    raw: 'src/raw/index.ts',
    errors: 'src/errors/index.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  // For debuggers, and for `node --enable-source-maps`; an import does not read them.
  sourcemap: true,
  // Functions and classes keep their names, for stack traces.
  minify: { compress: { keepNames: KEPT }, mangle: { keepNames: KEPT, toplevel: true }, codegen: true },
  treeshake: true,
  plugins: [lines()],
  // No comments about source files in the types: there are 170, and the files are not published.
  inputOptions: { experimental: { attachDebugInfo: 'none' } },
  // Full names between the files: with short ones the types would contain every name twice.
  outputOptions: {
    minifyInternalExports: false,
    // Everything that `index` and `observe` share with another entry is in one file: many small files take longer to load. What
    // only these two share is in another: the rest does without it.
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 3, test: SHARED }] },
  },
});
