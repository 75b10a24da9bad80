import type { Sql } from './database.ts';

/** Records an event of the fleet, without any content. */
export async function logEvent(
  sql: Sql,
  kind: string,
  about: { readonly key?: string; readonly turn?: string; readonly worker?: string; readonly detail?: object } = {},
): Promise<void> {
  await sql.query('insert into @.log (kind, key, turn, worker, detail) values ($1, $2, $3, $4, $5)', [
    kind,
    about.key ?? null,
    about.turn ?? null,
    about.worker ?? null,
    JSON.stringify(about.detail ?? {}),
  ]);
}

/** Notifies all listeners of a topic when the transaction commits. */
export async function notify(sql: Sql, schema: string, topic: string): Promise<void> {
  await sql.query('select pg_notify($1, $2)', [channelOf(schema), topic]);
}

/** The channel of a schema. */
export function channelOf(schema: string): string {
  return `coxswain_${schema}`;
}

/** The topic of idle workers. */
export const JOBS = 'jobs';

/** The topic of idle workers for jobs that are left to a certain worker for a moment. */
export const PREFERRED = 'preferred';

/** The topic of workers that send notices about approvals. */
export const NOTICES = 'notices';

/** The topic of a conversation's followers. */
export const aboutConversation = (key: string): string => `c:${key}`;

/** The topic of those who wait for a group of turns. The trigger of the table notifies it. */
export const aboutGroup = (id: string): string => `g:${id}`;

/** The topic of one worker: answers to approvals, cancellations. */
export const aboutWorker = (id: string): string => `w:${id}`;
