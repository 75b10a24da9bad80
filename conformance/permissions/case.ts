import type { JsonObject } from '@coxswain/testkit';
import type { AgentOptions } from 'coxswain';

/** One tool call. */
export interface Call {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Rules and a mode, and the calls that are decided under them, in this order and in one session. */
export interface Case {
  readonly name: string;
  readonly options: Pick<
    AgentOptions,
    | 'addDirs'
    | 'allowDangerouslySkipPermissions'
    | 'allowedTools'
    | 'disallowedTools'
    | 'mcpServers'
    | 'permissionMode'
    | 'settings'
    | 'tools'
  >;
  readonly calls: readonly Call[];
}

/** The decision of a CLI on a call: it runs the tool, asks the host first, or refuses. */
export type Decided = 'runs' | 'asks' | 'denies';

/** The files that exist in the working directory. */
export const FILES: readonly string[] = [
  'a.txt',
  'b.txt',
  'src/a.ts',
  'src/deep/b.ts',
  'secrets/key.pem',
  '.env',
  'sub/.env',
  'nb.ipynb',
];

/** A call on one line: the command of a shell line, the tool and its most important input otherwise. */
export function describeCall({ tool, input }: Call): string {
  if (tool === 'Bash') return String(input.command);
  const { file_path, notebook_path, path, pattern, url } = input;
  const about = [file_path, notebook_path, pattern, path, url].filter((value) => value !== undefined);
  return [tool, ...about].join(' ');
}

export function bash(...commands: readonly string[]): Call[] {
  return commands.map((command) => ({ tool: 'Bash', input: { command } }));
}

export function read(...paths: readonly string[]): Call[] {
  return paths.map((file_path) => ({ tool: 'Read', input: { file_path } }));
}

/** Writes of new files: the CLI refuses to overwrite a file that was not read. */
export function write(...paths: readonly string[]): Call[] {
  return paths.map((file_path) => ({ tool: 'Write', input: { file_path, content: 'new' } }));
}

/** Edits of files that were read before. */
export function edit(...paths: readonly string[]): Call[] {
  return paths.map((file_path) => ({ tool: 'Edit', input: { file_path, old_string: 'one', new_string: 'two' } }));
}

export function glob(pattern: string, path?: string): Call {
  return { tool: 'Glob', input: { pattern, ...(path !== undefined && { path }) } };
}

export function grep(pattern: string, path?: string): Call {
  return { tool: 'Grep', input: { pattern, ...(path !== undefined && { path }) } };
}

/** Addresses that no network resolves. */
export function fetchPage(...urls: readonly string[]): Call[] {
  return urls.map((url) => ({ tool: 'WebFetch', input: { url, prompt: 'What is it?' } }));
}
