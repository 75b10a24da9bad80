import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stagedClients } from '../../clients/install.mjs';
import { FOLDERS } from './sdks.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const places = stagedClients('node-20');
const MINUTE = 60_000;

describe.each(Object.entries(places))('types of the %s package', (_name, place) => {
  test('[U-1] programs written for the official package compile', { timeout: MINUTE }, async () => {
    expect(await compile(place, 'programs/tsconfig.json')).toEqual([]);
  });

  test('[U-1] every type of the official package can be imported', { timeout: MINUTE }, async () => {
    const names = officialTypes();
    expect(names.length).toBeGreaterThan(200);
    write(place, 'every-type', `import type {\n${names.join(',\n')},\n} from '@anthropic-ai/claude-agent-sdk';\n`);
    expect(await compile(place, 'every-type.json')).toEqual([]);
  });

  test('[U-7] the declarations of the clients find the types they import', { timeout: MINUTE }, async () => {
    const clients = ['ai-sdk-provider-claude-code', '@agentclientprotocol/claude-agent-acp'];
    write(place, 'clients', clients.map((name) => `export * from '${name}';\n`).join(''), { skipLibCheck: false });
    const errors = await compile(place, 'clients.json');
    expect(errors.filter((line) => clients.some((name) => line.includes(`node_modules/${name}/`)))).toEqual([]);
  });
});

/** The names of the types that the official package exports; nothing else is read of its declarations. */
function officialTypes(): string[] {
  const declarations = readFileSync(join(FOLDERS.official, 'sdk.d.ts'), 'utf8');
  return [...declarations.matchAll(/^export declare (?:type|interface|class) (\w+)/gm)].flatMap(
    ([, name]) => name ?? [],
  );
}

/** Writes a program and its project beside the installed clients. */
function write(place: string, name: string, program: string, compilerOptions: object = {}): void {
  writeFileSync(join(place, `${name}.ts`), program);
  const project = { extends: './programs/tsconfig.json', compilerOptions, files: [`${name}.ts`] };
  writeFileSync(join(place, `${name}.json`), JSON.stringify(project));
}

/** What the compiler objects to. */
function compile(place: string, project: string): Promise<string[]> {
  const tsc = join(repository, 'tools/node_modules/typescript-7/bin/tsc');
  const typeRoots = join(repository, 'node_modules/@types');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '-p', join(place, project), '--typeRoots', typeRoots, '--pretty', 'false'],
      { cwd: place, timeout: MINUTE },
      (error, stdout, stderr) => {
        const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
        resolve(said.length === 0 && error !== null ? [String(error)] : said);
      },
    );
  });
}
