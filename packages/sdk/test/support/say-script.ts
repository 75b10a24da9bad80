import { fileURLToPath } from 'node:url';

type Signal = 'INT' | 'TERM' | 'HUP' | 'KILL';

/** A text; or a line or character with its number of repetitions. */
type Text = string | readonly [text: string, times: number];

/** The steps of the fixture CLI. After the last one, it exits with 0. */
export type Step =
  | { readonly out: Text }
  | { readonly bytes: readonly number[] }
  | { readonly err: Text }
  /** Prints a line of JSON. */
  | { readonly message: object }
  /** Reads stdin to its end and prints a message with argv, cwd, env and stdin. */
  | { readonly seen: true }
  /** Reads stdin to its end. */
  | { readonly read: true }
  /** Answers the handshake of a session, and reads its prompt. */
  | { readonly handshake: true }
  /** Starts a process in a separate session that holds these pipes open, and prints its pid. A hidden one has no mark. */
  | { readonly grandchild: readonly ('stdout' | 'stderr')[]; readonly hidden?: true }
  | { readonly ignore: readonly Signal[] }
  /** Exits with this code at a signal. */
  | { readonly exitAt: readonly [signal: Signal, code: number] }
  /** Waits until this file exists. */
  | { readonly wait: string }
  /** Writes its pid to this file. */
  | { readonly note: string }
  | { readonly close: 1 | 2 }
  /** Runs until a signal ends it. */
  | { readonly stay: true }
  | { readonly exit: number }
  /** Ends itself by a signal. */
  | { readonly kill: Signal };

/** The steps as shell commands; a shell starts twenty times faster than Node. */
export function script(steps: readonly Step[]): string {
  const exitsAtSignal = steps.some((step) => 'exitAt' in step);
  return steps.map((step) => command(step, exitsAtSignal)).join('\n');
}

const SEEN = fileURLToPath(new URL('../fixtures/clis/seen.mjs', import.meta.url));

const HANDSHAKE = [
  'read -r request',
  `id=$(printf %s "$request" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')`,
  `printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{"commands":[]}}}\\n' "$id"`,
  'read -r prompt',
].join('\n');

function command(step: Step, exitsAtSignal: boolean): string {
  if ('out' in step) return print(step.out);
  if ('err' in step) return `{ ${print(step.err)}; } >&2`;
  if ('message' in step) return print(`${JSON.stringify(step.message)}\n`);
  if ('bytes' in step) return `printf '${step.bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`;
  if ('seen' in step) return `${quote(process.execPath)} ${quote(SEEN)} "$@"`;
  if ('read' in step) return 'cat >/dev/null';
  if ('handshake' in step) return HANDSHAKE;
  if ('grandchild' in step) return grandchild(step.grandchild, step.hidden === true);
  if ('ignore' in step) return `trap '' ${step.ignore.join(' ')}`;
  if ('exitAt' in step) return `trap 'exit ${step.exitAt[1]}' ${step.exitAt[0]}`;
  if ('wait' in step) return `until [ -e ${quote(step.wait)} ]; do sleep 0.02; done`;
  if ('note' in step) return `echo $$ >${quote(`${step.note}~`)}; mv ${quote(`${step.note}~`)} ${quote(step.note)}`;
  if ('close' in step) return `exec ${step.close}>&-`;
  // A program started with exec keeps ignored signals; other traps run only between commands.
  if ('stay' in step) return exitsAtSignal ? 'while :; do sleep 0.02; done' : 'exec sleep 300';
  if ('kill' in step) return `kill -${step.kill} $$; exec sleep 300`;
  return `exit ${step.exit}`;
}

/** Waits for the process: one that has not yet left the CLI's group would be ended with it. */
function grandchild(pipes: readonly string[], hidden: boolean): string {
  const others = `${pipes.includes('stdout') ? '' : '>/dev/null'} ${pipes.includes('stderr') ? '' : '2>/dev/null'}`;
  const command = `setsid sh -c 'echo $$ >"$0"; exec sleep 300' "$note" </dev/null ${others}`;
  return [
    'note=$(mktemp)',
    hidden ? `(env -u COXSWAIN_RUN ${command} &)` : `${command} &`,
    'until [ -s "$note" ]; do sleep 0.02; done',
    `printf '{"type":"system","subtype":"grandchild","pid":%d}\\n' "$(cat "$note")"`,
    'rm "$note"',
  ].join('\n');
}

function print(text: Text): string {
  if (typeof text === 'string') return `printf %s ${quote(text)}`;
  const [unit, times] = text;
  if (unit.endsWith('\n')) return `yes ${quote(unit.slice(0, -1))} | head -n ${times}`;
  return `head -c ${times} /dev/zero | tr '\\0' ${quote(unit)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
