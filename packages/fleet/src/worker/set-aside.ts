import type { Database } from '../database/database.ts';
import { logEvent } from '../database/log.ts';
import { ConversationSetAsideError } from '../errors.ts';
import type { Queue } from '../queue/queue.ts';
import type { ClaimResult } from './claim.ts';

/** Time until the second attempt to claim a conversation, and the longest time between two attempts. */
const FIRST_MS = 5_000;
const LONGEST_MS = 5 * 60_000;

/**
 * Sets a waiting conversation aside that could not be claimed because of its rows, so that it does not block the others. Its turns keep
 * waiting, and only its job changes: the other rows may be what is broken. Returns the error to report.
 */
export async function setAside(
  database: Database,
  queue: Queue,
  worker: string,
  { job, reason, error }: Extract<ClaimResult, { kind: 'refused' }>,
): Promise<ConversationSetAsideError> {
  const { id, key } = job;
  const failures = job.failures + 1;
  const forMs = Math.min(FIRST_MS * 2 ** job.failures, LONGEST_MS);
  await database.transaction(async (sql) => {
    await queue.setAside(sql, id, { reason, failures, forMs });
    await logEvent(sql, 'conversation-set-aside', { key, worker, detail: { reason, attempts: failures, forMs } });
  });
  return new ConversationSetAsideError({ key, reason, attempts: failures, forMs }, error);
}
