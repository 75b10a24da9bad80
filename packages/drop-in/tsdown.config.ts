import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'tsdown';
import { licenses } from './tsdown.licenses.ts';
import { optionalPeers } from './tsdown.optional-peers.ts';

// Tracing hooks search `sdk.mjs` at the root of the package, so the output is there. `clean` would remove the package.
const shared = {
  entry: { sdk: 'src/sdk.ts', 'sdk-tools': 'src/sdk-tools.ts' },
  outDir: '.',
  clean: false,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  treeshake: true,
} as const;

const source = (path: string): string => fileURLToPath(new URL(`../sdk/src/${path}`, import.meta.url));

const VALIDATOR = JSON.stringify(fileURLToPath(new URL('src/tools/schema-validator.ts', import.meta.url)));

/** The MCP library in one file, without what only an elicitation needs. */
const mcpServer: UserConfig = {
  ...shared,
  entry: { 'mcp-server': 'src/tools/mcp-server.ts' },
  format: 'cjs',
  dts: false,
  minify: { compress: true, mangle: true, codegen: false },
  deps: { alwaysBundle: [/^@modelcontextprotocol\//, /^zod/] },
  plugins: [
    licenses('mcp-server.licenses.md'),
    {
      name: 'validator-on-demand',
      load: (id: string) => (id.endsWith('/validation/ajv-provider.js') ? `export * from ${VALIDATOR};` : null),
    },
  ],
};

export default defineConfig([
  { ...shared, dts: false, sourcemap: true },
  mcpServer,
  {
    ...shared,
    // Self-contained: `coxswain` has entry points that `moduleResolution: node` does not find. Built from its source, which exists
    // before its build does.
    dts: { emitDtsOnly: true },
    alias: { 'coxswain/types': source('type-names.ts') },
    deps: { alwaysBundle: ['coxswain/types'] },
    plugins: [optionalPeers()],
    inputOptions: { experimental: { attachDebugInfo: 'none' } },
  },
]);
