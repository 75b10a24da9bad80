import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { createRedactor } from '../redact.ts';
import { secretsIn } from '../secrets.ts';
import { runProgram } from './run-program.ts';

/** How npm is run. */
export interface NpmOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** npm ended badly; `npmCode` is its own code, as in `E404`. */
export class NpmFailure extends Error {
  readonly npmCode: string | undefined;

  constructor(message: string, npmCode?: string) {
    super(message);
    this.name = 'NpmFailure';
    this.npmCode = npmCode;
  }
}

const KEEP_BYTES = 256 * 1024;

/** Runs the npm client, with the user's own configuration, and gives what it printed. @throws NpmFailure */
export async function runNpm(args: readonly string[], options: NpmOptions): Promise<string> {
  const { cwd, timeoutMs, signal } = options;
  const env = { ...options.env, npm_config_ignore_scripts: 'true', npm_config_update_notifier: 'false' };
  const command = [...npmCommand(env), ...args];
  const ended = await runProgram(command, { cwd, env, timeoutMs, signal, keepBytes: KEEP_BYTES });
  signal?.throwIfAborted();
  if (ended.kind !== 'exited') throw new NpmFailure(`npm ${args[0]} ${ended.reason}`);
  if (ended.exitCode === 0) return ended.output;
  const told = errorIn(ended.output);
  const said = told?.summary || ended.complaint.trim().slice(0, 600) || 'it said nothing';
  const clean = createRedactor(secretsIn(env));
  throw new NpmFailure(clean(`npm ${args[0]} exited with code ${ended.exitCode}: ${said}`), told?.code);
}

/** npm without a shell: its script with the current Node where that is known, else the program on PATH. */
function npmCommand(env: NpmOptions['env']): readonly string[] {
  const path = Object.entries(env).find(([key]) => key.toUpperCase() === 'PATH')?.[1] ?? '';
  for (const folder of path.split(delimiter)) {
    const command = isAbsolute(folder) ? npmIn(folder) : undefined;
    if (command) return command;
  }
  const folder = dirname(process.execPath);
  for (const script of ['node_modules/npm/bin/npm-cli.js', '../lib/node_modules/npm/bin/npm-cli.js']) {
    if (existsSync(join(folder, script))) return [process.execPath, join(folder, script)];
  }
  throw new NpmFailure('npm was found neither on PATH nor beside Node', 'ENOENT');
}

function npmIn(folder: string): readonly string[] | undefined {
  if (process.platform === 'win32') {
    // A .cmd file needs a shell; the script it calls does not.
    const script = join(folder, 'node_modules/npm/bin/npm-cli.js');
    return existsSync(join(folder, 'npm.cmd')) && existsSync(script) ? [process.execPath, script] : undefined;
  }
  const program = join(folder, 'npm');
  if (!existsSync(program)) return undefined;
  const real = realpathSync.native(program);
  return real.endsWith('.js') ? [process.execPath, real] : [program];
}

/** With `--json` npm reports errors on stdout, after whatever else it printed there. */
function errorIn(output: string): { code?: string; summary?: string } | undefined {
  try {
    const { error } = JSON.parse(output.slice(output.indexOf('{')));
    return typeof error === 'object' && error !== null ? error : undefined;
  } catch {
    return undefined;
  }
}
