import type { Database } from '../database/database.ts';
import { together } from '../database/together.ts';
import type { Claim } from './claim.ts';
import { type Fence, insertEvents, passFence } from './fence.ts';

/** Whether the prompt may be written to the agent; if not, who cancelled the turn. */
export type Permission = (
  | { readonly sent: true; readonly by?: undefined }
  | { readonly sent: false; readonly by: string }
) & {
  /** The lease was renewed by a request that was sent then. */
  readonly askedAt: number;
};

/**
 * Records that the prompt is about to be written, durably: from here on it is not silently repeated, whatever crashes. Repeating
 * it changes nothing. @throws LeaseLostError, DatabaseUnavailableError
 */
export function markSent(
  database: Database,
  { id, token, attempt }: Claim,
  fence: Fence,
  sessionId: string | null,
): Promise<Permission> {
  const { key, owner: worker } = fence;
  return database.transaction<Permission>(async (sql) => {
    const [{ askedAt, lastSeq }, [turn]] = await together([
      passFence(sql, fence),
      sql.query<{ state: string; cancelled_by: string | null }>(
        'select state, cancelled_by from @.turn where id = $1 and claim = $2 for update',
        [id, token],
      ),
    ]);
    // The answer to an earlier commit may have been lost with its connection.
    if (turn?.state === 'sent') return { sent: true, askedAt };
    if (turn === undefined || turn.cancelled_by !== null)
      return { sent: false, by: turn?.cancelled_by ?? 'unknown', askedAt };
    const body = JSON.stringify({ state: 'sent', worker, attempt });
    await together([
      sql.query(`update @.turn set state = 'sent' where id = $1`, [id]),
      sql.query(
        'update @.conversation set event_seq = event_seq + 1, session_id = coalesce($2, session_id) where key = $1',
        [key, sessionId],
      ),
      insertEvents(sql, key, id, lastSeq + 1, [{ kind: 'state', body }]),
    ]);
    return { sent: true, askedAt };
  });
}
