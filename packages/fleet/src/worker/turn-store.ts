import type { SessionStore } from 'coxswain/store';
import type { Database } from '../database/database.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import type { Approvals } from './approvals.ts';
import { passFence } from './fence.ts';
import { ANSWER_NOTE } from './parked-claim.ts';
import type { TurnWriter } from './writer.ts';

/**
 * The session store of one turn. Entries go into the batches of the turn's writer, so that the last ones are stored in the same
 * transaction as the outcome. Reads are repeated until `until` while the database is down.
 */
export function turnStore(
  database: Database,
  writer: TurnWriter,
  approvals: Pick<Approvals, 'answerNoted'>,
  until: () => number,
): SessionStore {
  const { key } = writer.fence;
  let batches = 0;
  const retried = <T>(work: () => Promise<T>): Promise<T> => retryWhileUnavailable(work, until);
  return {
    async append({ sessionId, subpath = '' }, entries, batch) {
      batches += 1;
      if (entries.some(({ type }) => type === ANSWER_NOTE)) approvals.answerNoted();
      const id = batch?.id ?? `${writer.fence.claim}.${batches}`;
      writer.entries(
        entries.map((entry, index) => ({
          sessionId,
          subpath,
          entryId: typeof entry.uuid === 'string' ? entry.uuid : `${id}#${index}`,
          line: JSON.stringify(entry),
        })),
      );
    },
    async load({ sessionId, subpath = '' }) {
      // What was appended is stored before it is read.
      await writer.flush();
      const rows = await retried(() =>
        database.query<{ line: Record<string, unknown> }>(
          'select line from @.entry where key = $1 and session_id = $2 and subpath = $3 order by n',
          [key, sessionId, subpath],
        ),
      );
      return rows.length === 0 ? null : rows.map(({ line }) => line);
    },
    async listSubkeys({ sessionId }) {
      const rows = await retried(() =>
        database.query<{ subpath: string }>(
          `select distinct subpath from @.entry where key = $1 and session_id = $2 and subpath <> ''`,
          [key, sessionId],
        ),
      );
      return rows.map(({ subpath }) => subpath);
    },
    blobs: {
      async put({ sessionId }, name, data) {
        await retried(() =>
          database.transaction(async (sql) => {
            await passFence(sql, writer.fence);
            await sql.query(
              `insert into @.blob (key, session_id, name, data) values ($1, $2, $3, $4)
               on conflict (key, session_id, name) do update set data = excluded.data`,
              [key, sessionId, name, Buffer.from(data)],
            );
          }),
        );
      },
      async get({ sessionId }, name) {
        const [row] = await retried(() =>
          database.query<{ data: Buffer }>('select data from @.blob where key = $1 and session_id = $2 and name = $3', [
            key,
            sessionId,
            name,
          ]),
        );
        return row?.data ?? null;
      },
      async list({ sessionId }) {
        const rows = await retried(() =>
          database.query<{ name: string }>('select name from @.blob where key = $1 and session_id = $2', [
            key,
            sessionId,
          ]),
        );
        return rows.map(({ name }) => name);
      },
    },
  };
}
