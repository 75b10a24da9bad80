import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import type { QueryStream } from '../../src/query/query-stream.ts';
import type { RunEvent } from '../../src/report/events.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import type { UserContent } from '../../src/wire/messages.ts';
import { type Step, script } from './say-script.ts';

export type { Step } from './say-script.ts';

/** A query of the fixture CLI, and what it told about itself. */
export interface Run<T = unknown> {
  readonly stream: QueryStream<T>;
  readonly events: RunEvent[];
  readonly warnings: Warning[];
  readonly stderr: string[];
  /** The process; throws before it runs. */
  readonly pid: number;
}

/** What a test may set besides the options of the query. */
interface Telling {
  readonly prompt?: UserContent;
  /** What the CLI does when it is asked for its version; the version is not checked without it. */
  readonly version?: readonly Step[];
}

/** Runs the fixture CLI with these steps; the stream is closed at the end of the test. */
export function say<T = unknown>(steps: readonly Step[], options: AgentOptions<T> & Telling = {}): Run<T> {
  const { prompt = 'hello', version, env, ...rest } = options;
  return watch((watching) =>
    query<T>(prompt, {
      cli: cliPath('say.sh'),
      versionCheck: version === undefined ? 'off' : undefined,
      orphanGuard: false,
      ...watching,
      ...rest,
      // A shell that a busy machine keeps waiting is no CLI that does not leave.
      limits: { drainMs: 10_000, exitReadMs: 10_000, ...rest.limits },
      env: { SAY: script(steps), ...(version && { SAY_VERSION: script(version) }), ...env },
    }),
  );
}

/** The path of a fixture CLI. */
export function cliPath(name: string): string {
  return fileURLToPath(new URL(`../fixtures/clis/${name}`, import.meta.url));
}

/** Starts a query that tells a `Run` what happens in it. */
export function watch<T>(
  start: (watching: Pick<AgentOptions, 'onEvent' | 'onWarning' | 'onStderr'>) => QueryStream<T>,
): Run<T> {
  const events: RunEvent[] = [];
  const warnings: Warning[] = [];
  const stderr: string[] = [];
  const stream = start({
    onEvent: (event) => events.push(event),
    onWarning: (warning) => warnings.push(warning),
    onStderr: (line) => stderr.push(line),
  });
  onTestFinished(async () => {
    await stream.close();
  });
  return {
    stream,
    events,
    warnings,
    stderr,
    get pid() {
      const pid = events.find((event) => event.type === 'started')?.pid;
      if (typeof pid !== 'number') throw new Error('The process has not started');
      return pid;
    },
  };
}

export const INIT = { type: 'system', subtype: 'init', session_id: 'session-1', model: 'm', tools: [] };

/** An assistant message with one text. */
export function assistant(text: string): object {
  return {
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    session_id: 'session-1',
  };
}

/** A result; a successful one unless told otherwise. */
export function result(more: object = {}): object {
  return { type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: 'session-1', ...more };
}

/** The steps of an ordinary run. */
export const ORDINARY: readonly Step[] = [{ message: INIT }, { message: assistant('hi') }, { message: result() }];

/** Only SIGKILL ends what begins like this. */
export const STUBBORN: Step = { ignore: ['INT', 'TERM', 'HUP'] };
