import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Script, scriptedCli } from '@coxswain/testkit';
import { transpiled } from './transpiled.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The output and the tool calls of a file. */
export interface FileRun {
  /** stdout, then stderr, line by line. */
  readonly lines: readonly string[];
  /** The tools of its runs: `Bash ran`, `Write refused`. */
  readonly tools: readonly string[];
}

/** Runs a file on a CLI that plays this script; it must succeed. */
export async function runScripted(file: URL, agent: Script): Promise<FileRun> {
  await using cli = await scriptedCli(agent);
  const lines = await runFile(file, cli.path);
  const runs = await cli.runs();
  return { lines, tools: runs.flatMap((run) => run.tools.map(({ name, outcome }) => `${name} ${outcome}`)) };
}

/** Runs a file with a separate home directory and the CLI from `COXSWAIN_CLI`. Returns its output. */
export async function runFile(
  file: URL,
  cli: string,
  flags: readonly string[] = [],
  timeoutMs = 50_000,
  variables: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'cox-home-'));
  try {
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, COXSWAIN_CLI: cli, ...variables };
    const path = flags.includes('tsx') ? fileURLToPath(file) : await transpiled(file);
    return (await node([...flags, path], { env, timeout: timeoutMs })).trimEnd().split('\n');
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function node(argv: readonly string[], options: { env: NodeJS.ProcessEnv; timeout: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, argv, { cwd: root, ...options }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      else resolve(stdout + stderr);
    });
  });
}
