import type { Transaction } from '../database/database.ts';
import type { Queue } from '../queue/queue.ts';

/** Closes the approvals of a turn that no longer waits: none can be answered, and answers that did not reach the agent have no effect. */
export async function voidApprovals(
  sql: Transaction,
  queue: Queue,
  {
    turn,
    worker,
    except = null,
  }: { readonly turn: string; readonly worker: string | null; readonly except?: string | null | undefined },
): Promise<void> {
  const closed = await sql.query<{ approval: string }>(
    `with closed as (
       update @.approval set state = 'void' where turn = $1 and id is distinct from $3
         and (state = 'pending' or (state = 'answered' and not delivered))
       returning id, key, turn, tenant, hash
     ), recorded as (
       insert into @.approval_audit (kind, approval, key, turn, tenant, hash, worker)
       select 'void', id, key, turn, tenant, hash, $2 from closed
     )
     select id as approval from closed`,
    [turn, worker, except],
  );
  for (const { approval } of closed) await queue.announce(sql, approval, 'void');
}
