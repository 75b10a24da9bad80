import { FleetInputError } from '../errors.ts';
import { checkedOptions } from '../fleet/input.ts';
import { isSchemaName } from './migrate.ts';

/** The job of a process in a fleet. A PostgreSQL user can have several roles. */
export type FleetRole = 'submitter' | 'approver' | 'worker' | 'reader';

/** The fleet, and the names of its roles. */
export interface FleetGrantsOptions {
  /** The schema of the fleet; `coxswain` by default. */
  readonly schema?: string | undefined;
  /** The roles are `<prefix>_submitter`, `<prefix>_approver`, `<prefix>_worker` and `<prefix>_reader`; the schema by default. */
  readonly prefix?: string | undefined;
}

/**
 * Returns SQL that creates the roles of a fleet (without login) and grants each one what its calls need, and nothing else. The owner
 * of the tables runs it after each upgrade; running it again changes nothing. Processes with these roles open the fleet with `create: false`.
 * @throws FleetInputError
 */
export function fleetGrants(options: FleetGrantsOptions = {}): string {
  const { schema = 'coxswain', prefix = schema } = checkedOptions(options, OPTIONS);
  if (!isSchemaName(schema)) throw new FleetInputError('schema', 'must be the name of the schema of a fleet.');
  if (!isSchemaName(prefix))
    throw new FleetInputError(
      'prefix',
      'must be a name of lower-case letters, digits and underscores, at most 41 characters long.',
    );
  const nameOf = (role: string): string => `"${prefix}_${role}"`;
  const all = ROLES.map(nameOf).join(', ');
  const on = (table: string): string => `"${schema}"."${table}"`;
  const lines = [
    'begin;',
    ...ROLES.map((role) => createRole(`${prefix}_${role}`)),
    // Removes what only an earlier release granted.
    `revoke all on all tables in schema "${schema}" from ${all};`,
    `grant usage on schema "${schema}" to ${all};`,
    ...OPENING.map((table) => `grant select on ${on(table)} to ${all};`),
    `grant select on all tables in schema "${schema}" to ${nameOf('reader')};`,
  ];
  for (const role of ROLES) {
    for (const [table, privileges] of Object.entries(GRANTS[role]))
      lines.push(`grant ${privileges} on ${on(table)} to ${nameOf(role)};`);
  }
  return `${[...lines, 'commit;'].join('\n')}\n`;
}

const OPTIONS: Readonly<Record<keyof FleetGrantsOptions, true>> = { schema: true, prefix: true };

const ROLES: readonly FleetRole[] = ['submitter', 'approver', 'worker', 'reader'];

/** Tables that every process reads when it opens the fleet: the versions of the tables, and the names of the queues. */
const OPENING: readonly string[] = ['fleet_version', 'version', 'queue'];

/** What is added to the audit. The server sets the time and the user, and nobody may change or remove a record. */
const AUDIT = 'insert (kind, approval, key, turn, tenant, hash, by, origin, worker, detail)';

/**
 * Privileges by table. They are limited to columns where other roles write the rest of the row: a submitter must not write an
 * answer, and a worker must not answer the requests of its own agent. Tables from `job` on belong to the queue.
 */
const GRANTS: Readonly<Record<FleetRole, Readonly<Record<string, string>>>> = {
  submitter: {
    conversation:
      'select, insert (key, tenant, turn_seq, agent), update (turn_seq, event_seq, updated_at, watched_until)',
    turn: `select, insert (id, key, seq, tenant, prompt, data, priority, start_after, traceparent, tracestate, resend_of, submitted_by,
    agent, group_id, group_n, attributes, max_usd, retry),
  update (job, state, cancelled_by, outcome, outcome_kind, ended_at)`,
    // Whether a parked turn can go on: the turns behind it wait for that.
    approval: 'select (id, state)',
    event: 'insert',
    log: 'insert (kind, key, turn, worker, detail)',
    job_common: 'select (id), insert',
    steer: 'select, insert (id, turn, content, by)',
    turn_group: 'select, insert (id, size), update (watched_until)',
    schedule: 'select, insert, update, delete',
  },
  approver: {
    approval: 'select, update (state, answer, answer_hash, answered_by, answered_at)',
    approval_audit: `select, ${AUDIT}`,
    turn: 'select (id, worker, state, approval, parked_at)',
    log: 'insert (kind, key, turn, worker, detail)',
  },
  worker: {
    conversation: 'select, insert (key, tenant, turn_seq, agent), update',
    turn: 'select, insert, update',
    entry: 'select, insert',
    blob: 'select, insert, update',
    event: 'select, insert, delete',
    approval: `select, insert (id, key, turn, tenant, request_id, request, hash, stages, expires_at, deny_reason, parked),
  update (state, stage, delivered, parked)`,
    approval_audit: AUDIT,
    pause: 'select, insert, update, delete',
    steer: 'select, update (passed_at)',
    // The trigger reads it when a turn ends.
    turn_group: 'select',
    // To lock a row, the role must be allowed to change one of its columns.
    tenant: 'select, update (name)',
    spend: 'select, insert, update',
    worker: 'select, insert, update, delete',
    release: 'select',
    log: 'insert (kind, key, turn, worker, detail)',
    job: 'select, insert, update, delete',
    job_common: 'select, insert, update, delete',
    job_dependency: 'select, delete',
    queue: 'insert, update',
    schedule: 'select, update (last_job_id, kind)',
    version: 'update',
  },
  reader: {},
};

function createRole(name: string): string {
  return `do $$ begin
  if not exists (select from pg_roles where rolname = '${name}') then create role "${name}" nologin; end if;
end $$;`;
}
