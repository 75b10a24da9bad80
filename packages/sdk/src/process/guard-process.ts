import type { Writable } from 'node:stream';
import { steadyNow } from '../clock.ts';
import { unrefStream } from './child-pipes.ts';

/** The stdin of each guarded child, by pid. */
export type Guarded = ReadonlyMap<number, Writable | null>;

export interface GuardProcess {
  readonly since: number;
  /** True if the shell started; otherwise `lost` is called shortly after. */
  readonly runs: boolean;
  /** True if the guard shares the stdin of every child whose stdin is open. */
  holdsAll(guarded: Guarded): boolean;
  /** Sends lines of `+pid` and `-pid`. */
  send(lines: string): void;
  dismiss(): void;
}

/**
 * Starts a shell that guards these children. The shell shares their stdins: otherwise these would close with the host, and a
 * CLI would notice the host's death before the guard could stop it. `lost` is called if the guard does not start, or ends before
 * it is dismissed.
 */
export function startGuard(guarded: Guarded, lost: (guard: GuardProcess, reason: string) => void): GuardProcess {
  const held = new Set<Writable>([...guarded.values()].filter(isOpenSocket));
  const { spawn } = process.getBuiltinModule('node:child_process');
  const shell = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'coxswain-orphan-guard'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    // In a separate session: signals to the host's group or from its terminal must not reach the guard.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', ...held],
  });
  const guard: GuardProcess = {
    since: steadyNow(),
    runs: shell.pid !== undefined,
    holdsAll: (now) => [...now.values()].every((stdin) => !isOpenSocket(stdin) || held.has(stdin)),
    send: (lines) => void shell.stdin?.write(lines),
    dismiss: () => void shell.stdin?.end('q\n'),
  };
  shell.on('error', (error) => lost(guard, error.message));
  shell.on('exit', (code, signal) => lost(guard, `it ended with ${signal ?? `code ${code}`}`));
  shell.stdin?.on('error', () => {}); // The exit event follows.
  shell.unref();
  unrefStream(shell.stdin);
  guard.send([...guarded.keys()].map((pid) => `+${pid}\n`).join(''));
  return guard;
}

/**
 * True for an open stdin that can be shared. Node uses a socket, which closes for all processes that share it. Deno uses a
 * pipe, which would stay open until the guard exits; Bun's stdin cannot be shared.
 */
function isOpenSocket(stdin: Writable | null): stdin is Writable {
  if (process.versions.deno !== undefined) return false;
  return stdin instanceof process.getBuiltinModule('node:net').Socket && stdin.writable;
}

/**
 * The script of the orphan guard. It reads lines of `+pid` and `-pid`, and `q` when it is dismissed. If its stdin ends while
 * pids remain, the host is dead. The script first stops all CLIs with one `kill` of their groups, because a CLI without a host
 * may run the tool that a hook was deciding about (2.1.197 does). Then it finds their descendants, which run in other sessions,
 * and kills all of them.
 */
export const GUARD_SCRIPT = `
trap '' INT TERM HUP
pids=' '
while IFS= read -r line; do
  pid=\${line#?}
  case $line in
    q) exit ;;
    +*) pids="$pids$pid " ;;
    -*) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done

all=
for pid in $pids; do all="$all -$pid $pid"; done
[ -n "$all" ] || exit 0
kill -s STOP -- $all

tree=' '
grown=0
note() {
  case "$pids$tree" in *" $1 "*) return 1 ;; esac
  tree="$tree$1 "
  all="$all -$1 $1"
  grown=1
  kill -s STOP -- -$1 $1
}
look_in_proc() {
  while [ $# -gt 0 ]; do
    for list in /proc/$1/task/*/children; do
      children=
      read -r children <"$list"
      for child in $children; do
        note $child && set -- "$@" $child
      done
    done
    shift
  done
}
look_in_ps() {
  child=
  for field in $(ps -A -o pid= -o ppid=); do
    if [ -z "$child" ]; then child=$field; continue; fi
    case "$pids$tree" in *" $field "*) note $child ;; esac
    child=
  done
}
# In another PID namespace the pids in /proc are those of other processes, and ps reads nothing else on Linux.
look() {
  self=
  [ -e /proc/self ] && read -r self rest </proc/self/stat
  if [ ! -e /proc/self ]; then look_in_ps
  elif [ "$self" != $$ ]; then return
  elif [ -r /proc/$$/task/$$/children ]; then look_in_proc $pids $tree
  else look_in_ps
  fi
}

# A process found running may have started another meanwhile.
looks=20
while [ $looks -gt 0 ]; do
  grown=0
  look
  [ $grown = 1 ] || break
  looks=$((looks - 1))
done
kill -s KILL -- $all
`;
