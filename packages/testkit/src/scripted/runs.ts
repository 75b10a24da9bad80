import type { JsonObject } from '../json.ts';
import type { ToolOutcome } from './interpreter/effects.ts';
import type { LogLine, RunStart } from './run-log.ts';

/** One run of a scripted CLI, seen from inside it. */
export interface ScriptedRun extends RunStart {
  readonly prompts: readonly string[];
  /** The frames that came over stdin in stream-json mode. */
  readonly frames: readonly JsonObject[];
  /** The tool calls, and what happened to each. */
  readonly tools: readonly { readonly name: string; readonly input: unknown; readonly outcome: ToolOutcome }[];
  /** What MCP servers asked the user, and what was answered. */
  readonly elicitations: readonly {
    readonly server: string;
    readonly message: string;
    readonly answer: JsonObject;
  }[];
  /** The context that hooks added for the model. */
  readonly contexts: readonly { readonly event: string; readonly text: string }[];
  /** How it exited; undefined while it runs, and when it was killed. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined;
}

/** Summarises the log of a run. */
export function runOf(lines: readonly LogLine[]): ScriptedRun {
  const all = <K extends LogLine['kind']>(kind: K): Extract<LogLine, { kind: K }>[] =>
    // The filter keeps exactly the lines of this kind.
    lines.filter((line) => line.kind === kind) as Extract<LogLine, { kind: K }>[];
  const start = all('start')[0]?.start ?? { argv: [], cwd: '', pid: 0, envNames: [] };
  const exit = all('exit').at(-1);
  return {
    ...start,
    prompts: all('prompt').map(({ text }) => text),
    frames: all('frame').map(({ frame }) => frame),
    tools: all('tool').map(({ name, input, outcome }) => ({ name, input, outcome })),
    elicitations: all('elicitation').map(({ server, message, answer }) => ({ server, message, answer })),
    contexts: all('context').map(({ event, text }) => ({ event, text })),
    exit: exit && { code: exit.code, signal: exit.signal },
  };
}
