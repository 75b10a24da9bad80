import { DEFAULT_AGENT } from '../agent/agent-name.ts';

/** An agent of a worker, as far as it decides which turns the worker may run. */
export interface ServedAgent {
  readonly name: string;
  readonly version: string | null;
  /** The release of its CLI, as far as the worker has found it. */
  readonly cli: string | null;
  /** Where the files of its conversations stay between turns; null if they can be brought to every worker. */
  readonly place: string | null;
}

/** Which jobs a worker may fetch. */
export interface Routes {
  readonly agents: readonly ServedAgent[];
  /** True if one of these agents has a staged release. */
  readonly isStaged: boolean;
}

/**
 * The statement, with its values, that fetches the first job that a worker may run, except those of the tenants. As pg-boss does, by the same
 * index: the conditions read the jobs in their order and stop at the first one.
 */
export function fetchStatement(
  queue: string,
  exceptTenants: readonly string[],
  { agents, isStaged }: Routes,
): readonly [text: string, values: readonly unknown[]] {
  const names = agents.map(({ name }) => name);
  // Without releases and places, a statement that PostgreSQL plans in a fraction of the time.
  if (!isStaged && agents.every(({ place }) => place === null)) return [FETCH, [queue, exceptTenants, names]];
  const of = (field: 'version' | 'cli' | 'place'): (string | null)[] => agents.map((agent) => agent[field]);
  return [FETCH_ROUTED, [queue, exceptTenants, names, of('version'), of('cli'), of('place')]];
}

/** A number from 0 to 1 for a conversation, always the same for one release of an agent. `seed` and `key` are expressions of SQL. */
export function shareOf(seed: string, key: string): string {
  const hash = `sha256(convert_to(${seed} || ' ' || ${key}, 'UTF8'))`;
  return `((get_byte(${hash}, 0) * 65536 + get_byte(${hash}, 1) * 256 + get_byte(${hash}, 2)) / 16777216.0)`;
}

/** Identifies a row of `release`, so that each release begins with other conversations. */
export function seedOf(row: string): string {
  return `concat_ws(' ', ${row}.agent, coalesce(${row}.version, '-'), coalesce(${row}.cli, '-'))`;
}

/** Whether a version and a release of the CLI are those of a row of `release`; expressions of SQL. */
function isOfRelease(row: string, version: string, cli: string): string {
  return `coalesce((${row}.version is null or ${row}.version = ${version}) and (${row}.cli is null or ${row}.cli = ${cli}), false)`;
}

/** Whether a live worker may run a conversation of the release `t`. */
const MAY_RUN = `(t.share is null or case when ${shareOf('t.seed', 'j.singleton_key')} < t.share
  then l.is_new or t.any_new else not l.is_new or t.any_old end)`;

/** The common table expression of the first job that meets a condition, and the update of that job. */
const first = (condition: string): string => `
  next as (
    select j.id from @.job j
    where j.name = $1 and j.state < 'active' and not j.blocked and j.start_after <= @.job_now()
      and (j.group_id is null or j.group_id <> all ($2::text[])) and ${condition}
    order by j.priority desc, j.created_on limit 1
    for update of j skip locked)
  update @.job j set state = 'active', started_on = @.job_now(), heartbeat_on = @.job_now(),
    retry_count = case when j.started_on is not null then j.retry_count + 1 else j.retry_count end
  from next where j.name = $1 and j.id = next.id
  returning j.id, j.singleton_key as key, j.data`;

/** A job of one of the agents. */
const FETCH = `with ${first(`coalesce(j.group_tier, '${DEFAULT_AGENT}') = any ($3::text[])`)}`;

/**
 * … on the side of a staged release that its conversation belongs to, and of a conversation whose files are here, or on no worker that
 * lives and may run it.
 */
const FETCH_ROUTED = `
  with mine as materialized (
    select m.agent, m.place, r.share, r.when_none, ${seedOf('r')} as seed, r.version, r.cli, ${isOfRelease('r', 'm.version', 'm.cli')} as is_new
    from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as m (agent, version, cli, place)
    left join @.release r on r.agent = m.agent),
  live as materialized (
    select m.agent, w.places, ${isOfRelease('m', `w.agents -> m.agent ->> 'version'`, `w.agents -> m.agent ->> 'cli'`)} as is_new
    from mine m join @.worker w on w.agents ? m.agent and not w.draining
    where m.share is not null or m.place is not null),
  routes as materialized (
    select mine.*,
      when_none = 'any' and not exists (select from live l where l.agent = mine.agent and l.is_new) as any_new,
      when_none = 'any' and not exists (select from live l where l.agent = mine.agent and not l.is_new) as any_old
    from mine),
  ${first(`(
    select case
        when t.share is null then true
        when ${shareOf('t.seed', 'j.singleton_key')} < t.share then t.is_new or t.any_new
        else not t.is_new or t.any_old
      end
      and (t.place is null or coalesce((
        select c.place is null or c.place = t.place
          or not exists (select from live l where l.agent = t.agent and c.place = any (l.places) and ${MAY_RUN})
        from @.conversation c where c.key = j.singleton_key), true))
    from routes t where t.agent = coalesce(j.group_tier, '${DEFAULT_AGENT}'))`)}`;
