import {
  type CanUseTool,
  isCoxswainError,
  type ParkedRequest,
  type PermissionRequest,
  requestHash,
  type Session,
} from 'coxswain';
import { recordAudit } from '../approval/audit.ts';
import type { NoticeKind } from '../approval/notice.ts';
import type { Stages } from '../approval/terms.ts';
import type { Transaction } from '../database/database.ts';
import { logEvent } from '../database/log.ts';
import { pipelined } from '../database/pipelined.ts';
import { ApprovalHashError } from '../errors.ts';
import type { Queue } from '../queue/queue.ts';
import { uuid7 } from '../turn/uuid7.ts';
import type { Claim } from './claim.ts';
import type { ParkedClaim } from './parked-claim.ts';
import { decisionOf, type OpenApproval, REOPEN, type StoredAnswer, timeAgain } from './stored-answer.ts';
import type { TurnWriter } from './writer.ts';

/** What is recorded about a change of a row, and who else is notified. */
interface Change {
  readonly kind: 'delivered' | 'reopened' | 'void';
  readonly why?: string;
  readonly notice?: NoticeKind | undefined;
}

/** The permission requests of one turn that wait for an answer from a person. */
export class Approvals {
  readonly #claim: Claim;
  readonly #writer: TurnWriter;
  readonly #queue: Queue;
  /** The requests that wait, by their ids. */
  readonly #open = new Map<string, OpenApproval>();
  /** The approvals of calls that may still wait for an answer, also while one is being delivered, by the ids of the calls. */
  readonly #ofCalls = new Map<string, { readonly request: string; readonly approval: string }>();
  /** Ids of requests that were read but not decided, and of requests that were postponed but not read. */
  readonly #read = new Set<string>();
  readonly #postponed = new Map<string, Stages>();
  /** The requests with which another worker can resume the turn. */
  readonly #parkable = new Set<string>();
  /** The id under which the CLI asks again for the request that this turn was parked with. */
  #askedAgain: string | undefined;
  /** True once the agent may have been allowed to go on with the parked request. */
  resumed = false;
  /** Requests whose approvals are about to be stored. */
  readonly #preparing = new Set<string>();
  /** What another worker needs to resume the turn with a request; undefined if it cannot, or not yet. */
  parkedRequest: (requestId: string) => Promise<ParkedRequest | undefined> = async () => undefined;
  /** Called when the requests that wait have changed. */
  onChanged: () => void = () => {};

  constructor(claim: Claim, writer: TurnWriter, queue: Queue) {
    this.#claim = claim;
    this.#writer = writer;
    this.#queue = queue;
  }

  /** Wraps the agent's `canUseTool`: if it returns `decideLater()`, the request becomes an approval with these terms. */
  withApprovals(canUseTool: CanUseTool, termsOf: (request: PermissionRequest) => Promise<Stages>): CanUseTool {
    return async (request, context) => {
      const decision = await canUseTool(request, context);
      if ('decision' in decision && decision.decision === 'decideLater') {
        const terms = await termsOf(request);
        if (this.#read.delete(request.id)) await this.#request(request, terms);
        else this.#postponed.set(request.id, terms);
      }
      return decision;
    };
  }

  /** The only request that waits, and its approval, if the turn can be resumed with it. */
  get parkable(): { readonly requestId: string; readonly approval: string } | undefined {
    const [[requestId, open] = [undefined, undefined], ...others] = this.#open;
    if (requestId === undefined || others.length > 0 || !this.#parkable.has(requestId)) return undefined;
    return { requestId, approval: open.id };
  }

  /** The approval of a call that the agent made in this run. */
  ofCall(toolUseId: string): string | undefined {
    return this.#ofCalls.get(toolUseId)?.approval;
  }

  /** The agent no longer waits for a request: if its approval is not stored yet, nobody is asked. */
  gone(requestId: string): void {
    this.#preparing.delete(requestId);
  }

  /** The turn can be resumed with this request from now on. */
  async noteParkable(requestId: string, parked: ParkedRequest): Promise<void> {
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    const values = [open.id, JSON.stringify(parked)];
    this.#writer.statement(
      async (sql) => void (await sql.query('update @.approval set parked = $2 where id = $1', values)),
    );
    await this.#writer.flush();
    this.#parkable.add(requestId);
    this.onChanged();
  }

  /** The request was read, after all messages before it: followers receive them in the same order. */
  async read(request: PermissionRequest): Promise<void> {
    if (this.#claim.parked && request.toolUseId === this.#claim.parked.parked.request.toolUseId && !this.resumed) {
      this.#askedAgain = request.id;
      return;
    }
    const terms = this.#postponed.get(request.id);
    if (terms === undefined) return void this.#read.add(request.id);
    this.#postponed.delete(request.id);
    await this.#request(request, terms);
  }

  /** Passes an answer on to the agent; a repeated or late one has no effect. */
  async deliver(session: Session, answer: StoredAnswer): Promise<void> {
    const { request_id: requestId, stored } = answer;
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    this.#open.delete(requestId);
    try {
      const decision = decisionOf(answer, open);
      const notice = answer.state === 'answered' ? 'answered' : undefined;
      // Stored first: if this worker dies now, the agent may have been allowed to run the tool.
      this.#update(requestId, 'delivered = true', { kind: 'delivered', notice }, stored);
      await this.#writer.flush();
      await session.answerPermission(requestId, decision);
    } catch (error) {
      // The agent no longer waits, or its session has ended.
      if (isCoxswainError(error, 'no-such-permission') || isCoxswainError(error, 'session-stopped')) throw error;
      this.#open.set(requestId, open);
      if (!isCoxswainError(error, 'options') && !(error instanceof ApprovalHashError)) throw error;
      // The answer does not fit the request, so another one is needed. It may have arrived meanwhile.
      this.#update(requestId, REOPEN, { kind: 'reopened', why: error.code }, stored);
      throw error;
    }
  }

  /** The agent cannot use the answer with which its turn was to be resumed: another one is needed. */
  reopen({ requestId, stored }: ParkedClaim, why: string): void {
    this.#update(requestId, REOPEN, { kind: 'reopened', why }, stored);
  }

  /** The agent no longer waits for an answer. */
  close(requestId: string, decision: string): void {
    const { parked } = this.#claim;
    if (parked && requestId === this.#askedAgain) return this.#closeAskedAgain(parked, decision);
    this.#open.delete(requestId);
    this.#read.delete(requestId);
    this.#preparing.delete(requestId);
    this.#parkable.delete(requestId);
    this.onChanged();
    // It stays open without a process.
    if (decision === 'parked') return;
    for (const [call, { request: id }] of this.#ofCalls) if (id === requestId) this.#ofCalls.delete(call);
    this.#update(requestId, `state = 'void'`, { kind: 'void', notice: 'void' }, null, 'pending');
    this.#writer.event({ kind: 'permission-answered', body: JSON.stringify({ requestId, decision }) });
  }

  /** The agent is about to get the answer with which its turn is resumed. Stored in the same transaction as the note of the session. */
  answerNoted(): void {
    const { parked } = this.#claim;
    if (parked === undefined || this.resumed) return;
    this.resumed = true;
    const notice = parked.state === 'answered' ? 'answered' : undefined;
    this.#update(parked.requestId, 'delivered = true', { kind: 'delivered', notice });
  }

  #closeAskedAgain({ requestId }: ParkedClaim, decision: string): void {
    this.#askedAgain = undefined;
    if (!DECISIONS.has(decision)) return;
    this.answerNoted();
    this.#writer.event({ kind: 'permission-answered', body: JSON.stringify({ requestId, decision }) });
  }

  /** Updates the row of a request and records it; with `stored`, only while it has that answer, and with `state`, only in that state. */
  #update(
    requestId: string,
    change: string,
    { kind, why, notice }: Change,
    stored: string | null = null,
    state: string | null = null,
  ): void {
    const detail = JSON.stringify(why === undefined ? {} : { why });
    const values = [this.#claim.id, requestId, stored, state, kind, this.#writer.fence.owner, detail];
    const text = `with changed as (
        update @.approval set ${change} where turn = $1 and request_id = $2 and ($3::text is null or answer::text = $3)
          and ($4::text is null or state = $4) returning id, key, turn, tenant, hash
      ), recorded as (
        insert into @.approval_audit (kind, approval, key, turn, tenant, hash, worker, detail)
        select $5, id, key, turn, tenant, hash, $6, $7 from changed
      )
      select id as approval from changed`;
    this.#writer.statement(async (sql) => {
      const changed = await sql.query<{ approval: string }>(text, values);
      for (const { approval } of changed) {
        if (notice !== undefined) await this.#queue.announce(sql, approval, notice);
        if (kind === 'reopened') await timeAgain(sql, this.#queue, approval);
      }
    });
  }

  async #request(request: PermissionRequest, terms: Stages): Promise<void> {
    // The approval is stored first, so that it can be answered if this worker dies.
    this.#preparing.add(request.id);
    const parked = await this.parkedRequest(request.id);
    if (!this.#preparing.delete(request.id)) return;
    const approval = uuid7();
    const hash = requestHash(request);
    this.#open.set(request.id, { id: approval, hash });
    if (request.toolUseId !== undefined) this.#ofCalls.set(request.toolUseId, { request: request.id, approval });
    // If the database is down, the turn is parked with the write that follows the outage.
    if (parked) this.#parkable.add(request.id);
    this.#writer.statement((sql) => this.#insert(sql, { id: approval, hash }, { request, parked }, terms));
    this.#writer.event({ kind: 'permission-requested', body: JSON.stringify({ approval, hash, request }) });
    await this.#writer.flush();
    this.onChanged();
  }

  async #insert(
    sql: Transaction,
    { id, hash }: OpenApproval,
    { request, parked }: { readonly request: PermissionRequest; readonly parked: ParkedRequest | undefined },
    { stages, denyReason }: Stages,
  ): Promise<void> {
    const { id: turn, key, tenant } = this.#claim;
    const lastUntilMs = stages.at(-1)?.untilMs;
    const text = JSON.stringify(request);
    const how = parked === undefined ? null : JSON.stringify(parked);
    const values = [
      id,
      key,
      turn,
      tenant,
      request.id,
      text,
      hash,
      JSON.stringify(stages),
      lastUntilMs,
      denyReason,
      how,
    ];
    const inserted = await sql.query(
      `insert into @.approval (id, key, turn, tenant, request_id, request, hash, stages, expires_at, deny_reason, parked)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 ms', $10, $11) on conflict do nothing returning 1`,
      values,
    );
    // The response to an earlier commit was lost.
    if (inserted.length === 0) return;
    const worker = this.#writer.fence.owner;
    const { toolName: tool, agentId: agent = null } = request;
    const { groups = null, untilMs = null } = stages[0] ?? {};
    const detail = { tool, agent, groups };
    await pipelined([
      recordAudit(sql, { id, key, turn, tenant, hash }, { kind: 'requested', worker, detail }),
      logEvent(sql, 'approval-requested', { key, turn, worker, detail: { approval: id, tool } }),
      untilMs === null ? undefined : this.#queue.setTimer(sql, id, untilMs),
      this.#queue.announce(sql, id, 'requested'),
    ]);
  }
}

/** The decisions of people; a request may also end for another reason. */
const DECISIONS: ReadonlySet<string> = new Set(['allow', 'deny', 'answerQuestions', 'stopTurn']);
