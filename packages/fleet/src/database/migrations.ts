/** One step of the schema. Released steps never change; new ones are added at the end. */
export type Migration = readonly string[];

/** All steps, in order; the version of a schema is the number of steps it has. Tables are created in the schema of the fleet. */
export const migrations: readonly Migration[] = [
  [
    // A conversation's lease and counters; nothing secret.
    `create table conversation (
      key text primary key,
      tenant text not null,
      session_id text,
      epoch bigint not null default 0,
      owner text,
      lease_until timestamptz,
      turn_seq bigint not null default 0,
      event_seq bigint not null default 0,
      watched_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    ) with (fillfactor = 70)`,
    `create index conversation_leased on conversation (lease_until) where owner is not null`,
    `create index conversation_updated on conversation (updated_at)`,
    // Contains prompts, submitted data and outcomes.
    `create table turn (
      id text primary key,
      key text not null references conversation (key),
      seq bigint not null,
      tenant text not null,
      state text not null default 'waiting' check (state in ('waiting', 'claimed', 'sent', 'done')),
      prompt json not null,
      data json,
      priority integer not null default 0,
      start_after timestamptz not null default now(),
      attempt integer not null default 0,
      epoch bigint,
      worker text,
      job uuid,
      answered boolean not null default false,
      cancelled_by text,
      outcome json,
      outcome_kind text,
      cost_usd double precision not null default 0,
      cost json,
      traceparent text,
      resend_of text,
      submitted_by text,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      unique (key, seq),
      check ((state = 'done') = (outcome is not null))
    ) with (fillfactor = 80)`,
    `create index turn_waiting on turn (key, seq) where state = 'waiting'`,
    `create index turn_running on turn (tenant) where state in ('claimed', 'sent')`,
    `create index turn_ended on turn (ended_at) where state = 'done'`,
    `create index turn_by_kind on turn (outcome_kind, ended_at) where outcome_kind not in ('completed')`,
    // Contains transcripts, line by line; json keeps the text unchanged.
    `create table entry (
      key text not null,
      session_id text not null,
      subpath text not null,
      n bigint generated always as identity,
      entry_id text not null,
      line json not null,
      primary key (key, session_id, subpath, n)
    )`,
    `create unique index entry_once on entry (key, session_id, subpath, entry_id)`,
    `create table blob (
      key text not null,
      session_id text not null,
      name text not null,
      data bytea not null,
      primary key (key, session_id, name)
    )`,
    // Read by followers: messages, states, permission requests, outcomes.
    `create table event (
      key text not null,
      seq bigint not null,
      turn text not null,
      kind text not null,
      body json not null,
      at timestamptz not null default clock_timestamp(),
      primary key (key, seq)
    )`,
    `create index event_of_turn on event (turn, seq)`,
    `create table approval (
      id text primary key,
      key text not null,
      turn text not null,
      tenant text not null,
      request_id text not null,
      request json not null,
      state text not null default 'pending' check (state in ('pending', 'answered', 'void')),
      answer json,
      answered_by text,
      answered_at timestamptz,
      created_at timestamptz not null default now(),
      unique (turn, request_id)
    )`,
    `create index approval_pending on approval (created_at) where state = 'pending'`,
    `create table pause (
      credential text primary key,
      reason text not null,
      until timestamptz not null,
      refusals integer not null default 1,
      probe text,
      probe_until timestamptz
    )`,
    `create table tenant (
      name text primary key,
      max_concurrent integer,
      max_usd_per_day double precision
    )`,
    `create table spend (
      tenant text not null,
      day date not null,
      usd double precision not null default 0,
      turns bigint not null default 0,
      primary key (tenant, day)
    )`,
    `create table worker (
      id text primary key,
      name text not null,
      host text not null,
      pid integer not null,
      slots integer not null,
      running integer not null default 0,
      draining boolean not null default false,
      started_at timestamptz not null default now(),
      heartbeat_at timestamptz not null default now()
    )`,
    // Events of the fleet, without any content. xid lets readers skip rows behind transactions that are still open.
    `create table log (
      n bigint generated always as identity primary key,
      xid xid8 not null default pg_current_xact_id(),
      at timestamptz not null default clock_timestamp(),
      kind text not null,
      key text,
      turn text,
      worker text,
      detail json not null default '{}'
    )`,
    `create index log_in_order on log (xid, n)`,
  ],
  [
    // The vendor part of the trace context.
    `alter table turn add column tracestate text`,
    // The number of stored events of the current claim.
    `alter table conversation add column written bigint not null default 0`,
    // The cost of all turns, including pruned ones.
    `alter table conversation add column cost_usd double precision not null default 0`,
    `update conversation set cost_usd = spent.usd
     from (select key, sum(cost_usd) as usd from turn group by key) spent where spent.key = conversation.key and spent.usd > 0`,
    // Lists read their first rows from an index, however much is stored.
    `create index turn_newest on turn (created_at desc, seq desc)`,
    `create index turn_newest_of_tenant on turn (tenant, created_at desc, seq desc)`,
    `create index turn_newest_of_kind on turn (outcome_kind, created_at desc, seq desc) where outcome_kind <> 'completed'`,
    `drop index turn_by_kind`,
    `create index conversation_updated_of_tenant on conversation (tenant, updated_at)`,
    `create index approval_in_order on approval (state, created_at, id)`,
    `drop index approval_pending`,
    // True once the answer has reached the agent.
    `alter table approval add column delivered boolean not null default false`,
    `create index approval_of_conversation on approval (key)`,
    // Rows are inserted in order of time, so a small BRIN index is enough.
    `create index log_at on log using brin (at) with (autosummarize = on)`,
    `create index spend_of_day on spend (day)`,
  ],
  [
    // The random token of the claim: no two claims share one, even if a crash or a failover undoes a claim.
    `alter table conversation add column claim text`,
    `alter table turn add column claim text`,
  ],
  [
    // The maximum cost of a turn, reserved while it runs. Known after the agent's options were first read.
    `alter table turn add column budget_usd double precision`,
  ],
  [
    // The hash of what is asked, and the one that the author of the answer named.
    `alter table approval add column hash text, add column answer_hash text`,
    // Who may answer, and until when. `stage` is the last stage that was recorded; the clock decides which one applies.
    `alter table approval add column stages json, add column stage integer not null default 0,
       add column expires_at timestamptz, add column deny_reason text`,
    `alter table approval drop constraint approval_state_check,
       add constraint approval_state_check check (state in ('pending', 'answered', 'expired', 'void'))`,
    // Append-only. The server sets the time and its user, so that neither can be forged. No content: the hash identifies the request.
    `create table approval_audit (
      n bigint generated always as identity primary key,
      at timestamptz not null default clock_timestamp(),
      db_user text not null default session_user,
      kind text not null,
      approval text not null,
      key text not null,
      turn text not null,
      tenant text not null,
      hash text,
      by text,
      origin text,
      worker text,
      detail json not null default '{}'
    )`,
    `create index approval_audit_of_approval on approval_audit (approval, n)`,
    `create index approval_audit_of_conversation on approval_audit (key, n)`,
    `create index approval_audit_at on approval_audit using brin (at) with (autosummarize = on)`,
    // Also refuses the owner of the tables, except in prune(), which names its purpose.
    `create function refuse_audit_change() returns trigger language plpgsql set search_path = pg_catalog as $$
     begin
       if tg_op = 'DELETE' and current_setting('coxswain.prune_audit', true) = 'on'
          and pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'MEMBER') then
         return old;
       end if;
       raise exception 'approval_audit is append-only' using errcode = 'insufficient_privilege';
     end $$`,
    `create trigger approval_audit_rows before update or delete on approval_audit for each row execute function refuse_audit_change()`,
    `create trigger approval_audit_all before truncate on approval_audit for each statement execute function refuse_audit_change()`,
  ],
  [
    // What another worker needs to resume the turn; null if the request can only be answered while its worker runs.
    `alter table approval add column parked json`,
    `create index approval_decided on approval (turn) where state in ('answered', 'expired') and not delivered`,
    // The approval with which a parked turn continues, and since when it waits without a process.
    `alter table turn add column approval text, add column parked_at timestamptz`,
    `alter table turn drop constraint turn_state_check,
       add constraint turn_state_check check (state in ('waiting', 'claimed', 'sent', 'parked', 'done'))`,
    `create index turn_open on turn (key, seq) where state in ('waiting', 'parked')`,
    `create index turn_cancelled on turn (key) where state = 'parked' and cancelled_by is not null`,
    `drop index turn_waiting`,
  ],
  [
    // What the earlier runs of a turn have cost, which has been added to its conversation and its tenant.
    `alter table turn add column earlier_cost json`,
  ],
  [
    // The claim whose process waits for the next turn, on which worker, how long others leave that turn to it, and until when.
    `alter table conversation add column warm_claim text, add column warm_worker text, add column warm_prefer_ms double precision,
       add column warm_until timestamptz`,
    // The number of such processes.
    `alter table worker add column warm integer not null default 0`,
  ],
  [
    // What is added to running turns.
    `create table steer (
      id text primary key,
      n bigint generated always as identity,
      turn text not null references turn (id) on delete cascade,
      content json not null,
      by text not null,
      created_at timestamptz not null default clock_timestamp(),
      passed_at timestamptz
    )`,
    `create index steer_of_turn on steer (turn, n)`,
  ],
  [
    // The agent of a conversation, and where the files of its `stickyWorkspace()` are.
    `alter table conversation add column agent text not null default 'default', add column place text`,
    // Which version of the agent ran the turn, on which release of the CLI.
    `alter table turn add column agent text not null default 'default', add column agent_version text, add column cli text`,
    // Agents by name, each with its version and its release of the CLI, and the places of sticky workspaces. Older workers run one agent.
    `alter table worker add column agents jsonb not null default '{"default": {}}', add column places text[] not null default '{}'`,
    // The share of an agent's conversations that runs on workers with this version, or this release of the CLI; the others run elsewhere.
    `create table release (
      agent text primary key,
      version text,
      cli text,
      share double precision not null check (share between 0 and 1),
      when_none text not null check (when_none in ('wait', 'any')),
      set_by text,
      updated_at timestamptz not null default clock_timestamp(),
      check (version is not null or cli is not null)
    )`,
  ],
  [
    // Turns that were submitted together. Workers notify those who wait for a group while it is watched.
    `create table turn_group (
      id text primary key,
      size integer not null,
      created_at timestamptz not null default clock_timestamp(),
      watched_until timestamptz
    )`,
    `create index turn_group_newest on turn_group (created_at desc)`,
    // Its group and its place there, what lists filter by, the limit of its cost, its policy of retries, and the number of attempts that were repeated by it.
    `alter table turn add column group_id text, add column group_n integer, add column attributes jsonb, add column max_usd double precision,
       add column retry json, add column retries integer not null default 0`,
    `create index turn_of_group on turn (group_id, group_n) where group_id is not null`,
    `create index turn_by_attribute on turn using gin (attributes jsonb_path_ops) where attributes is not null`,
    // Waits for its next attempt; nothing else of its conversation runs before it.
    `create index turn_retrying on turn (key) where state = 'waiting' and retries > 0`,
    `create function notify_turn_group() returns trigger language plpgsql set search_path from current as $$
     begin
       if exists (select from turn_group where id = new.group_id and watched_until > clock_timestamp()) then
         perform pg_notify('coxswain_' || tg_table_schema, 'g:' || new.group_id);
       end if;
       return null;
     end $$`,
    // However a turn ends.
    `create trigger turn_group_ended after update of state on turn for each row
       when (new.group_id is not null and new.state = 'done' and old.state <> 'done') execute function notify_turn_group()`,
    `alter table tenant add column max_usd_per_turn double precision`,
  ],
];
