import { outcomeOf, query } from 'coxswain';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { type OpenOptions, viewFor } from '../run/open.ts';
import type { OutputFlags } from '../run/output-flags.ts';
import { spentOn } from '../run/spent.ts';

/** Plays a one-shot query on a recording. */
export async function playQuery(prompt: string, flags: OutputFlags, options: OpenOptions): Promise<ExitCode> {
  const { view } = viewFor(flags, options);
  try {
    const stream = query(prompt, { includePartialMessages: true, ...options.extra });
    for await (const item of stream.items()) await view.item(item);
    const result = await stream.result();
    const outcome = outcomeOf(result);
    const exitCode = exitCodeOf(outcome);
    const cost = spentOn(await stream.cost());
    view.end({ result, outcome, exitCode, cost, durationMs: result.duration_ms, sessionId: stream.sessionId });
    return exitCode;
  } catch (error) {
    view.failure(error, EXIT.failed);
    return EXIT.failed;
  } finally {
    view.close();
  }
}
