import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { stagedClients } from '../../clients/install.mjs';
import { COMPILER_TEST_MS, compile } from './declared/compile.ts';
import { FOLDERS, loadSdk } from './sdks.ts';

const places = stagedClients('node-20');
const PACKAGE = '@anthropic-ai/claude-agent-sdk';
const PROGRAMS = readdirSync(join(places.official, 'programs'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `programs/${name}`);

describe.each(Object.entries(places))('types of the %s package', (_name, place) => {
  let errors: string[];
  beforeAll(async () => {
    // One project, so that the compiler reads the packages once.
    writeFileSync(
      join(place, 'every-type.ts'),
      `import type {\n${officialTypes().join(',\n')},\n} from '${PACKAGE}';\n`,
    );
    writeFileSync(join(place, 'tool-names.ts'), await toolNameComparisons());
    // Each list is a separate module, because they use the same names.
    clientImports(place).forEach((program, index) => {
      writeFileSync(join(place, `client-types-${index}.ts`), program);
    });
    const written = [
      'every-type.ts',
      'tool-names.ts',
      ...clientImports(place).map((_, index) => `client-types-${index}.ts`),
    ];
    const project = { extends: './programs/tsconfig.json', files: [...PROGRAMS, ...written] };
    writeFileSync(join(place, 'types.json'), JSON.stringify(project));
    errors = await compile(place, 'types.json');
  }, COMPILER_TEST_MS);

  test('[U-1] compile in programs written for the official package', () => {
    expect(PROGRAMS.length).toBeGreaterThan(4);
    expect(errors.filter((error) => error.startsWith('programs/'))).toEqual([]);
  });

  test('[U-1] include every type of the official package', () => {
    expect(officialTypes().length).toBeGreaterThan(200);
    expect(errors.filter((error) => error.startsWith('every-type.ts'))).toEqual([]);
  });

  test('[U-9] let hooks compare the tool name with every built-in tool', () => {
    expect(errors.filter((error) => error.startsWith('tool-names.ts'))).toEqual([]);
  });

  test('[U-7] include everything that the declarations of the clients import', () => {
    expect(clientImports(place).length).toBeGreaterThan(2);
    expect(errors.filter((error) => error.startsWith('client-types-'))).toEqual([]);
  });

  test('[U-1] compile without another error', () => {
    expect(errors).toEqual([]);
  });
});

/** A comparison of the tool name with each built-in tool, in each hook that has one. */
async function toolNameComparisons(): Promise<string> {
  const { BUILTIN_TOOL_NAMES: names } = await loadSdk('official');
  expect(names.length).toBeGreaterThan(50);
  const inputs = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'];
  const program = inputs.flatMap((input) =>
    names.map((name) => `export const ${input}_${name} = (i: ${input}HookInput) => i.tool_name === '${name}';`),
  );
  const imported = inputs.map((input) => `${input}HookInput`).join(', ');
  return `import type { ${imported} } from '${PACKAGE}';\n${program.join('\n')}\n`;
}

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

function clientImports(place: string): string[] {
  return CLIENT_DECLARATIONS.flatMap((path) => importsOf(join(place, 'node_modules', path)));
}

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
