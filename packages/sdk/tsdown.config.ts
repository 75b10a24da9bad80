import { defineConfig } from 'tsdown';

/** The code (not the types) that every run needs. Cut up by who shares what with whom, it would be a dozen files, at half a millisecond each. */
const CORE =
  /src\/(errors|warnings|limits|redact|wire|options|messages|stream|control|hooks|permissions|process|launch|session|query|client|cli\/(?!install)).*(?<!\.d)\.ts$/;

export default defineConfig({
  entry: { index: 'src/index.ts', mcp: 'src/mcp/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  // The entry is parsed at every import of the host; names stay, for stack traces.
  minify: { compress: true, mangle: false, codegen: true },
  treeshake: true,
  outputOptions: { codeSplitting: { groups: [{ name: 'core', test: CORE }] } },
});
