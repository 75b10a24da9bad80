import type { Database } from '../database/database.ts';
import { pipelined } from '../database/pipelined.ts';
import type { Claim } from './claim.ts';
import { type Fence, insertEvents, passFence } from './fence.ts';

/** Whether the prompt may be sent to the agent; if not, who cancelled the turn. */
export type Permission = (
  | { readonly sent: true; readonly by?: undefined }
  | { readonly sent: false; readonly by: string }
) & {
  /** When the request that renewed the lease was sent. */
  readonly requestedAt: number;
};

/**
 * Durably records that the prompt is about to be sent: from now on it is not silently sent again, whatever crashes. Calling it again
 * changes nothing. @throws LeaseLostError, DatabaseUnavailableError
 */
export function markSent(
  database: Database,
  { id, token, attempt }: Claim,
  fence: Fence,
  sessionId: string | null,
): Promise<Permission> {
  const { key, owner: worker } = fence;
  return database.transaction<Permission>(async (sql) => {
    const [{ requestedAt, lastSeq }, [turn]] = await pipelined([
      passFence(sql, fence),
      sql.query<{ state: string; cancelled_by: string | null }>(
        'select state, cancelled_by from @.turn where id = $1 and claim = $2 for update',
        [id, token],
      ),
    ]);
    // The response to an earlier commit may have been lost with its connection.
    if (turn?.state === 'sent') return { sent: true, requestedAt };
    if (turn === undefined || turn.cancelled_by !== null)
      return { sent: false, by: turn?.cancelled_by ?? 'unknown', requestedAt };
    const body = JSON.stringify({ state: 'sent', worker, attempt });
    await pipelined([
      sql.query(`update @.turn set state = 'sent' where id = $1`, [id]),
      sql.query(
        'update @.conversation set event_seq = event_seq + 1, session_id = coalesce($2, session_id) where key = $1',
        [key, sessionId],
      ),
      insertEvents(sql, key, id, lastSeq + 1, [{ kind: 'state', body }]),
    ]);
    return { sent: true, requestedAt };
  });
}
