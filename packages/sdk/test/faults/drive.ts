import { outcomeOf } from '../../src/messages/outcome.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { ExitReport } from '../../src/process/transport.ts';
import { query } from '../../src/query/query.ts';
import { openSession } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import type { Collected } from '../../src/stream/items.ts';
import type { UserContent } from '../../src/wire/messages.ts';

/** The outcome of a run, as its caller receives it. */
export interface Driven {
  readonly outcome: string;
  readonly text: string | undefined;
  readonly errors: readonly string[];
  readonly messages: readonly string[];
  readonly error: Error | undefined;
  readonly exit: ExitReport;
  /** The state of a session before it was stopped, and its reaction to another prompt. */
  readonly state?: string;
  readonly again?: string | undefined;
  readonly ms: number;
}

/** Runs a query to its end. */
export async function driveQuery(prompt: UserContent, options: AgentOptions): Promise<Driven> {
  const begun = performance.now();
  const stream = query(prompt, options);
  const collected = await stream.collect();
  const exit = await stream.closed;
  const ms = performance.now() - begun;
  const result = stream.results.at(-1);
  return { ...summary(collected, result), exit, ms };
}

/** Runs one turn of a session, and another one if it is still alive. */
export async function driveSession(
  prompt: UserContent,
  options: AgentOptions,
  opened: (session: Session) => Promise<void> | undefined,
  lives: boolean,
): Promise<Driven> {
  const begun = performance.now();
  const session = openSession(options);
  const during = opened(session);
  const turn = session.send(prompt);
  const collected = await turn.collect();
  await during;
  // A turn may fail a moment before its session does.
  if (lives) await session.ready.catch(() => {});
  else await session.closed;
  const { state } = session;
  const again = state === 'running' ? await session.send('again').text().catch(codeOf) : undefined;
  const exit = await session.close();
  const ms = performance.now() - begun;
  return { ...summary(collected, turn.results.at(-1)), exit, state, again, ms };
}

function summary(
  { items, errors, terminalError }: Collected,
  result: Parameters<typeof outcomeOf>[0] | undefined,
): Omit<Driven, 'exit' | 'ms'> {
  const kind = result && outcomeOf(result).kind;
  return {
    outcome: terminalError
      ? codeOf(terminalError)
      : kind === undefined
        ? 'no-result'
        : kind === 'completed'
          ? kind
          : `outcome:${kind}`,
    text: result && 'result' in result && typeof result.result === 'string' ? result.result : undefined,
    errors: errors.map(codeOf),
    messages: items.flatMap((item) => (item.kind === 'message' ? [item.message.type] : [])),
    error: terminalError,
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : `not typed: ${String(error)}`;
}
