import type { Database } from '../database/database.ts';
import type { WarmSessions } from './warm-sessions.ts';

/**
 * Ends processes whose conversations moved on elsewhere. They could not run another turn anyway; this frees their memory, and ends what
 * their tools have left running.
 */
export async function discardMovedOn(database: Database, worker: string, warm: WarmSessions): Promise<void> {
  const kept = warm.confirmed;
  if (kept.length === 0) return;
  // This worker may have claimed one of them, and is about to use its process.
  const rows = await database.query<{ key: string }>(
    'select key from @.conversation where key = any($1) and (warm_claim = any($2) or owner = $3)',
    [kept.map(({ key }) => key), kept.map(({ token }) => token), worker],
  );
  const current = new Set(rows.map(({ key }) => key));
  for (const one of kept) if (!current.has(one.key)) warm.discard(one);
}
