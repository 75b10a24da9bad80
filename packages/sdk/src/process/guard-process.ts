import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { steadyNow } from '../clock.ts';
import { GUARD_SCRIPT } from './guard-script.ts';
import { unrefStream } from './unref-stream.ts';

/** The stdin of each child that is guarded, by pid; of a program that the SDK did not start it may be anything. */
export type Guarded = ReadonlyMap<number, Writable | null>;

/** A guard. */
export interface GuardProcess {
  readonly since: number;
  /** Whether it could be started; if not, `lost` is called in a moment. */
  readonly runs: boolean;
  /** Whether the stdin of every child that is still written to is held open. */
  holdsAll(guarded: Guarded): boolean;
  /** Lines of `+pid` and `-pid`. */
  tell(lines: string): void;
  dismiss(): void;
}

/**
 * Starts a shell that guards these children. It shares their stdins: were they to end with the host, a CLI would know
 * of its death before the guard could stop it. `lost` is called should it end before it is dismissed, or never run.
 */
export function startGuard(guarded: Guarded, lost: (guard: GuardProcess, reason: string) => void): GuardProcess {
  const held = new Set<Writable>([...guarded.values()].filter(isOpenSocket));
  const shell = spawnShell([...held]);
  const guard: GuardProcess = {
    since: steadyNow(),
    runs: shell.pid !== undefined,
    holdsAll: (now) => [...now.values()].every((stdin) => !isOpenSocket(stdin) || held.has(stdin)),
    tell: (lines) => void shell.stdin?.write(lines),
    dismiss: () => void shell.stdin?.end(DISMISSED),
  };
  shell.on('error', (error) => lost(guard, error.message));
  shell.on('exit', (code, signal) => lost(guard, `it ended with ${signal ?? `code ${code}`}`));
  shell.stdin?.on('error', () => {}); // Its exit is what counts, and comes next.
  shell.unref();
  unrefStream(shell.stdin);
  guard.tell([...guarded.keys()].map((pid) => `+${pid}\n`).join(''));
  return guard;
}

const DISMISSED = 'q\n';

/**
 * Node gives a child a socket, which ends for all who share it. Deno gives it a pipe, which would not end before the
 * guard does, and Bun something that cannot be shared.
 */
function isOpenSocket(stdin: Writable | null): stdin is Writable {
  if (process.versions.deno !== undefined) return false;
  return stdin instanceof process.getBuiltinModule('node:net').Socket && stdin.writable;
}

/** In a session of its own: what is sent to the host's group or typed at its terminal must not reach it. */
function spawnShell(shared: readonly Writable[]): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'coxswain-orphan-guard'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', ...shared],
  });
}
