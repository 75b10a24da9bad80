import type { Database } from '../database/database.ts';
import type { Run } from './run.ts';
import { waitingSteers } from './steering.ts';
import { SELECT_ANSWERS, type StoredAnswer } from './stored-answer.ts';

/** Passes cancellations, additions and answers to approvals on to the runs. */
export async function readRequests(database: Database, runs: ReadonlySet<Run>): Promise<void> {
  const ids = [...runs].map(({ claim }) => claim.id);
  if (ids.length === 0) return;
  const cancelled = await database.query<{ id: string; cancelled_by: string }>(
    'select id, cancelled_by from @.turn where id = any($1) and cancelled_by is not null',
    [ids],
  );
  const steers = await waitingSteers(database, ids);
  const answers = await database.query<StoredAnswer>(SELECT_ANSWERS, [ids]);
  for (const run of runs) {
    const cancel = cancelled.find(({ id }) => id === run.claim.id);
    if (cancel) run.cancel(cancel.cancelled_by);
    run.steer(steers.filter(({ turn }) => turn === run.claim.id));
    run.deliver(answers.filter(({ turn }) => turn === run.claim.id));
  }
}
