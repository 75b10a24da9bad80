import type { Sql } from '../database/database.ts';

/** Closes the approvals of a turn that no longer waits: none can be answered, and answers that did not reach the agent have no effect. */
export async function voidApprovals(sql: Sql, turn: string): Promise<void> {
  await sql.query(
    `update @.approval set state = 'void' where turn = $1 and (state = 'pending' or (state = 'answered' and not delivered))`,
    [turn],
  );
}
