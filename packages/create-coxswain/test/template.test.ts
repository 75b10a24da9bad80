import { readdirSync, readFileSync } from 'node:fs';
import { inMemoryCli, script } from '@coxswain/testkit';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { describe, expect, it } from 'vitest';
import root from '../../../package.json' with { type: 'json' };
import { TOOLS } from '../src/manifest.ts';
import { ask as askJavaScript } from '../template/javascript/agent.js';
import { ask as askTypeScript } from '../template/typescript/agent.ts';

const read = (path: string): string => readFileSync(new URL(`../template/${path}`, import.meta.url), 'utf8');
/** The code without comments, types, blanks and the endings of imports. */
const bare = (code: string): string =>
  transpileModule(code, {
    compilerOptions: {
      target: ScriptTarget.ES2022,
      module: ModuleKind.ESNext,
      removeComments: true,
      verbatimModuleSyntax: true,
    },
  })
    .outputText.replace(/\.[jt]s';/g, "';")
    .replace(/\s+/g, ' ');

describe('the template', () => {
  it.each(readdirSync(new URL('../template/typescript/', import.meta.url)))(
    '[L-3] is the same in both languages: %s',
    (name) => {
      expect(bare(read(`javascript/${name.replace(/ts$/, 'js')}`))).toBe(bare(read(`typescript/${name}`)));
    },
  );

  it('[L-3] names the versions of the tools that this repository uses', () => {
    const { tsx, typescript } = root.devDependencies;
    expect(TOOLS).toEqual({
      '@types/node': `^${root.devDependencies['@types/node']}`,
      tsx: `^${tsx}`,
      typescript: `~${typescript}`,
    });
  });

  it.each([
    ['typescript', askTypeScript],
    ['javascript', askJavaScript],
  ])('[L-3] has a guard that lets only its list run: %s', async (_, ask) => {
    const tried = [
      { name: 'Bash', input: { command: 'npm test' }, runs: true },
      { name: 'Bash', input: { command: 'git status' }, runs: true },
      { name: 'Bash', input: { command: ' npm test' } },
      { name: 'Bash', input: { command: 'npm test\nrm -rf build' } },
      { name: 'Bash', input: { command: 'git diff --output=/tmp/x' } },
      { name: 'Bash', input: { command: 'find . -delete' } },
      { name: 'Edit', input: { file_path: 'package.json', old_string: 'a', new_string: 'b' } },
      { name: 'WebFetch', input: { url: 'https://example.com/', prompt: 'x' } },
    ];
    const agent = script().onPrompt('Try', (turn) =>
      tried.reduce((one, { name, input }) => one.useTool(name, input), turn).say('Done.'),
    );
    const { transport, runs } = inMemoryCli(agent);
    await ask('Try', { transport, allowedTools: ['Bash', 'Edit', 'WebFetch'] }).text();
    expect(runs()[0]?.tools.map(({ outcome }) => outcome)).toEqual(tried.map(({ runs }) => (runs ? 'ran' : 'refused')));
  });
});
