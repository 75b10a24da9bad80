import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { WorkspaceError } from '../errors.ts';

/** Runs Git. Nothing that a repository contains decides what it executes. */
export interface Git {
  /** Resolves to what Git prints. @throws GitFailure */
  run(args: readonly string[], place?: GitPlace): Promise<string>;
}

/** Where a command works. */
export interface GitPlace {
  readonly gitDir?: string | undefined;
  readonly workTree?: string | undefined;
  readonly index?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A command of Git that failed. */
export class GitFailure extends WorkspaceError {
  readonly exitCode: number | undefined;
  /** What it printed to stdout. */
  readonly output: string;

  constructor(command: string, reason: string, exitCode: number | undefined, output: string) {
    super(`git ${command} failed: ${reason}`);
    this.exitCode = exitCode;
    this.output = output;
  }
}

/** Git with these variables, and a time limit for each command. */
export function gitWith(variables: NodeJS.ProcessEnv, timeoutMs: number): Git {
  const own = Object.fromEntries(Object.entries(variables).filter(([name]) => !OF_A_REPOSITORY.test(name)));
  return {
    run(args, { gitDir, workTree, index, env } = {}) {
      const place = {
        ...(gitDir !== undefined && { GIT_DIR: gitDir }),
        ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
      };
      const options = {
        env: { GIT_ALLOW_PROTOCOL: PROTOCOLS, ...own, ...FIXED, ...place, ...env },
        timeout: timeoutMs,
        maxBuffer: MAX_OUTPUT_BYTES,
        encoding: 'utf8',
        ...(workTree !== undefined && { cwd: workTree }),
      } as const;
      return new Promise((resolve, reject) => {
        const child = execFile('git', [...SAFE, ...args], options, (error, stdout, stderr) => {
          if (error === null) return resolve(stdout);
          if (error.code === 'ENOENT') return reject(new WorkspaceError('Git is not installed on this machine.'));
          const [command = ''] = args;
          const why = error.killed
            ? `no end within ${timeoutMs} ms`
            : stderr.trim().slice(-MAX_REASON) || error.message;
          const exitCode = typeof error.code === 'number' ? error.code : undefined;
          reject(new GitFailure(command, withoutPasswords(why), exitCode, stdout));
        });
        child.stdin?.end();
      });
    },
  };
}

/** Removes user names and passwords from URLs in a text. */
export function withoutPasswords(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s'"]*@/gi, '$1');
}

/** Variables that would make Git use another repository. */
const OF_A_REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE)$/;

/** Without `ext`, which runs a command. */
const PROTOCOLS = 'file:git:http:https:ssh';

const FIXED = { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };

/** A hook or a file system monitor would run a program that the agent may have written. */
const SAFE = ['-c', `core.hooksPath=${devNull}`, '-c', 'core.fsmonitor=false', '-c', 'gc.autoDetach=false'];

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const MAX_REASON = 2_000;
