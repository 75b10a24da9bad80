import { within } from '../timing/timers.ts';
import type { Link } from './link.ts';
import type { LiveSession } from './live.ts';

/** How long the CLI has for each of the two ways to say goodbye. */
const ANSWER_MS = 1_000;

/**
 * Asks the CLI to leave. `end_session` first: EOF first makes 2.1.197 run a tool whose guard can no longer be asked. Only
 * when nothing runs and nothing is open is stdin closed.
 */
export async function sayGoodbye(session: LiveSession, link: Link): Promise<void> {
  const gone = link.transport.exited.then(() => true);
  if (await ask(session, 'end_session', gone)) {
    if (await within(ANSWER_MS, gone)) return;
  } else {
    const still = Promise.all([ask(session, 'interrupt', gone), session.turns.idle()]);
    await within(ANSWER_MS, Promise.race([still, gone]));
  }
  if (session.inbound.open > 0 || !session.turns.quiet) return;
  await within(
    ANSWER_MS,
    link.transport.endInput().catch(() => {}),
  );
}

/** True when the CLI agreed. */
async function ask(session: LiveSession, subtype: string, gone: Promise<boolean>): Promise<boolean> {
  const answered = session.ask(subtype, {}, { timeoutMs: ANSWER_MS }).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, gone]);
}
