import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stagedClients } from '../../clients/install.mjs';
import { compile } from './declared/compile.ts';
import { FOLDERS, loadSdk } from './sdks.ts';

const places = stagedClients('node-20');
const MINUTE = 60_000;
const PACKAGE = '@anthropic-ai/claude-agent-sdk';

describe.each(Object.entries(places))('types of the %s package', (_name, place) => {
  test('[U-1] compile in programs written for the official package', { timeout: MINUTE }, async () => {
    expect(await compile(place, 'programs/tsconfig.json')).toEqual([]);
  });

  test('[U-1] include every type of the official package', { timeout: MINUTE }, async () => {
    const names = officialTypes();
    expect(names.length).toBeGreaterThan(200);
    write(place, 'every-type', `import type {\n${names.join(',\n')},\n} from '${PACKAGE}';\n`);
    expect(await compile(place, 'every-type.json')).toEqual([]);
  });

  test('[U-9] let hooks compare the tool name with every built-in tool', { timeout: MINUTE }, async () => {
    const { BUILTIN_TOOL_NAMES: names } = await loadSdk('official');
    expect(names.length).toBeGreaterThan(50);
    const inputs = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'];
    const program = inputs.flatMap((input) =>
      names.map((name) => `export const ${input}_${name} = (i: ${input}HookInput) => i.tool_name === '${name}';`),
    );
    const imported = inputs.map((input) => `${input}HookInput`).join(', ');
    write(place, 'tool-names', `import type { ${imported} } from '${PACKAGE}';\n${program.join('\n')}\n`);
    expect(await compile(place, 'tool-names.json')).toEqual([]);
  });

  test('[U-7] include everything that the declarations of the clients import', { timeout: MINUTE }, async () => {
    const imports = CLIENT_DECLARATIONS.flatMap((path) => importsOf(join(place, 'node_modules', path)));
    expect(imports.length).toBeGreaterThan(2);
    // Each list is a separate module, because they use the same names.
    imports.forEach((program, index) => {
      writeFileSync(join(place, `client-types-${index}.ts`), program);
    });
    write(place, 'client-types', imports.map((_, index) => `import './client-types-${index}.js';\n`).join(''));
    expect(await compile(place, 'client-types.json')).toEqual([]);
  });
});

/** The names of the types that the official package exports; nothing else is read from its declarations. */
function officialTypes(): string[] {
  const declarations = readFileSync(join(FOLDERS.official, 'sdk.d.ts'), 'utf8');
  return [...declarations.matchAll(/^export declare (?:type|interface|class) (\w+)/gm)].flatMap(
    ([, name]) => name ?? [],
  );
}

/** The declarations of clients that import from the official package. */
const CLIENT_DECLARATIONS = [
  'ai-sdk-provider-claude-code/dist/index.d.ts',
  '@agentclientprotocol/claude-agent-acp/dist/acp-agent.d.ts',
  '@agentclientprotocol/claude-agent-acp/dist/tools.d.ts',
];

/** The imports and re-exports of a file from the official package, as type imports. */
function importsOf(path: string): string[] {
  const pattern = /^(?:import|export)(?: type)? \{([^}]*)\} from ['"](@anthropic-ai\/claude-agent-sdk[^'"]*)['"]/gm;
  return [...readFileSync(path, 'utf8').matchAll(pattern)].map(
    ([, names = '', from]) => `import type { ${names.split(',').map(originalName).join(', ')} } from '${from}';`,
  );
}

/** The name on the left of `as`, without `type`. */
function originalName(name: string): string {
  return (
    name
      .trim()
      .replace(/^type /, '')
      .split(' as ')[0] ?? ''
  );
}

/** Writes a program and its project beside the installed clients. */
function write(place: string, name: string, program: string, compilerOptions: object = {}): void {
  writeFileSync(join(place, `${name}.ts`), program);
  const project = { extends: './programs/tsconfig.json', compilerOptions, files: [`${name}.ts`] };
  writeFileSync(join(place, `${name}.json`), JSON.stringify(project));
}
