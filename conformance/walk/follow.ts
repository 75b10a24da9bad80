import { type MessageStream, outcomeOf, textOf } from 'coxswain';
import type { Entry, Ledger } from './ledger.ts';

/** Reads a turn or a job until it ends and records the outcome in its entry. Never rejects. */
export async function follow(ledger: Ledger, entry: Entry, stream: MessageStream): Promise<void> {
  const { messages: items, terminalError } = await stream.collect();
  entry.settledAt = ledger.now();
  entry.texts.push(
    ...items
      .filter((message) => message.type === 'assistant')
      .filter(isMain)
      .map(textOf),
  );
  entry.results.push(...stream.results.map(textOf));
  const last = stream.results.at(-1);
  if (terminalError !== undefined || last === undefined) {
    const { name = 'NoResult', message = 'The stream ended without a result.' } = terminalError ?? {};
    entry.ending = { kind: 'error', name, message };
  } else {
    entry.ending = { kind: 'result', outcome: outcomeOf(last).kind, text: textOf(last) };
  }
  ledger.note(`  = ${entry.plan.token} ${JSON.stringify(entry.ending)}`);
}

/** Text of subagents is not an answer. */
function isMain(message: { readonly parent_tool_use_id?: unknown }): boolean {
  return typeof message.parent_tool_use_id !== 'string';
}

/** Aborts a turn or a job after a while, unless it has ended. */
export function abortLater(
  ledger: Ledger,
  entry: Entry,
  { abort, ended, ms }: { readonly abort: AbortController; readonly ended: Promise<void>; readonly ms: number },
): void {
  const timer = setTimeout(() => {
    entry.abortedAt = ledger.now();
    abort.abort();
  }, ms);
  void ended.finally(() => clearTimeout(timer));
}
