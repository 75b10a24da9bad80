import type { Sql, Transaction } from '../database/database.ts';
import { logEvent } from '../database/log.ts';
import type { TurnOutcome } from '../turn/outcome.ts';

/** Whether a turn may start: normally, as the probe that shows whether the API accepts requests again, or not now. */
export type Start =
  | { readonly kind: 'start'; readonly probe: boolean }
  | { readonly kind: 'paused'; readonly forMs: number };

/** Time for which a probe holds the other turns back. It is not renewed: then another turn probes. */
const PROBE_MS = 5 * 60_000;

/** When a pause ends at the latest: the limits of the API are reset every month or sooner, whatever the agent has reported. */
const LATEST = `clock_timestamp() + interval '31 days'`;

/** The last date of JavaScript, which PostgreSQL has, too. */
const LAST_TIME = 8.64e15;

/** Checks for a pause of the credential. After its end, one turn on one worker goes first as the probe. */
export async function mayStart(sql: Transaction, credential: string, worker: string): Promise<Start> {
  const [pause] = await sql.query<{ left_ms: number; probe_ms: number }>(
    `select extract(epoch from until - clock_timestamp()) * 1000 as left_ms,
            coalesce(extract(epoch from probe_until - clock_timestamp()) * 1000, 0) as probe_ms
     from @.pause where credential = $1`,
    [credential],
  );
  if (pause === undefined) return { kind: 'start', probe: false };
  if (pause.left_ms > 0) return { kind: 'paused', forMs: pause.left_ms };
  if (pause.probe_ms > 0) return { kind: 'paused', forMs: Math.min(pause.probe_ms, 1_000) };
  const taken = await sql.query(
    `update @.pause set probe = $2, probe_until = clock_timestamp() + $3 * interval '1 ms'
     where credential = $1 and (probe_until is null or probe_until <= clock_timestamp()) and until <= clock_timestamp() returning 1`,
    [credential, worker, PROBE_MS],
  );
  return taken.length > 0 ? { kind: 'start', probe: true } : { kind: 'paused', forMs: 1_000 };
}

/** Pauses or resumes the credential, depending on the outcome of a turn. */
export async function afterOutcome(
  sql: Sql,
  outcome: TurnOutcome,
  { credential, worker, probe }: { readonly credential: string; readonly worker: string; readonly probe: boolean },
): Promise<void> {
  const resetsAt = refusalOf(outcome);
  if (resetsAt !== undefined) {
    const [pause] = await sql.query<{ until: Date; refusals: number }>(
      `insert into @.pause (credential, reason, until)
       values ($1, $2, least(coalesce(to_timestamp($3::float8 / 1000), clock_timestamp() + interval '5 s'), ${LATEST}))
       on conflict (credential) do update set
         refusals = pause.refusals + 1, probe = null, probe_until = null, reason = excluded.reason,
         until = greatest(pause.until, least(${LATEST}, coalesce(to_timestamp($3::float8 / 1000),
           clock_timestamp() + least(300, 5 * 2 ^ least(pause.refusals, 6)) * interval '1 s')))
       returning until, refusals`,
      [credential, outcome.kind, resetsAt && Math.max(0, Math.min(resetsAt, LAST_TIME))],
    );
    await logEvent(sql, 'paused', {
      detail: { credential, until: pause?.until.getTime() ?? null, reason: outcome.kind },
    });
  } else if (probe) {
    if (outcome.kind === 'completed') await resume(sql, credential, worker);
    // The outcome does not show whether the limit has ended: the next turn probes.
    else await endProbe(sql, worker);
  }
}

/** The probe of a worker shows nothing: its turn did not run, or was lost. The next turn probes. */
export async function endProbe(sql: Sql, worker: string): Promise<void> {
  await sql.query('update @.pause set probe = null, probe_until = null where probe = $1', [worker]);
}

/** The API has answered the probe: the other turns may start, unless it has refused another one since. */
export async function resume(sql: Sql, credential: string, worker: string): Promise<boolean> {
  const released = await sql.query('delete from @.pause where credential = $1 and probe = $2 returning 1', [
    credential,
    worker,
  ]);
  if (released.length > 0) await logEvent(sql, 'resumed', { detail: { credential } });
  return released.length > 0;
}

/** When the API accepts requests again; null if unknown; undefined if it did not refuse the turn. */
function refusalOf(outcome: TurnOutcome): number | null | undefined {
  if (outcome.kind === 'rate-limit') return outcome.resetsAt ?? null;
  return outcome.kind === 'api-error' && (outcome.status === 529 || outcome.status === 503) ? null : undefined;
}
