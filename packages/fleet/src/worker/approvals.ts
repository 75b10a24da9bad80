import {
  type CanUseTool,
  isCoxswainError,
  type PermissionDecision,
  type PermissionRequest,
  type Session,
} from 'coxswain';
import { logEvent } from '../database/log.ts';
import { pipelined } from '../database/pipelined.ts';
import { uuid7 } from '../turn/uuid7.ts';
import type { Claim } from './claim.ts';
import type { TurnWriter } from './writer.ts';

/** An answer of a person, as stored in the database. */
export interface StoredAnswer {
  readonly turn: string;
  readonly request_id: string;
  readonly answer: PermissionDecision;
  /** The stored text of the answer. */
  readonly stored: string;
}

/** The permission requests of one turn that wait for an answer from a person. */
export class Approvals {
  readonly #claim: Claim;
  readonly #writer: TurnWriter;
  readonly #open = new Set<string>();
  /** Ids of requests that were read but not decided, and of requests that were postponed but not read. */
  readonly #read = new Set<string>();
  readonly #postponed = new Set<string>();

  constructor(claim: Claim, writer: TurnWriter) {
    this.#claim = claim;
    this.#writer = writer;
  }

  /** Wraps the agent's `canUseTool`: if it returns `decideLater()`, the request becomes an approval. */
  withApprovals(canUseTool: CanUseTool): CanUseTool {
    return async (request, context) => {
      const decision = await canUseTool(request, context);
      if ('decision' in decision && decision.decision === 'decideLater') {
        if (this.#read.delete(request.id)) await this.#request(request);
        else this.#postponed.add(request.id);
      }
      return decision;
    };
  }

  /** The request was read, after all messages before it: followers receive them in the same order. */
  async read(request: PermissionRequest): Promise<void> {
    if (this.#postponed.delete(request.id)) await this.#request(request);
    else this.#read.add(request.id);
  }

  /** Passes an answer on to the agent; a repeated or late one has no effect. */
  async deliver(session: Session, { request_id: requestId, answer, stored }: StoredAnswer): Promise<void> {
    if (!this.#open.delete(requestId)) return;
    try {
      await session.answerPermission(requestId, answer);
      this.#updateRow(requestId, 'delivered = true');
    } catch (error) {
      if (!isCoxswainError(error, 'options')) throw error;
      // The answer does not fit the request, so another one is needed. It may have arrived meanwhile.
      this.#open.add(requestId);
      // The answer itself stays: only approvers may change it.
      this.#updateRow(requestId, `state = 'pending'`, stored);
      throw error;
    }
  }

  /** The agent no longer waits for an answer. */
  close(requestId: string, decision: string): void {
    this.#open.delete(requestId);
    this.#read.delete(requestId);
    this.#updateRow(requestId, `state = case when state = 'pending' then 'void' else state end`);
    this.#writer.event({ kind: 'permission-answered', body: JSON.stringify({ requestId, decision }) });
  }

  /** Updates the row of a request; with `stored`, only while it has that answer. */
  #updateRow(requestId: string, change: string, stored: string | null = null): void {
    const values = [this.#claim.id, requestId, stored];
    const text = `update @.approval set ${change}
                  where turn = $1 and request_id = $2 and ($3::text is null or answer::text = $3)`;
    this.#writer.statement(async (sql) => void (await sql.query(text, values)));
  }

  async #request(request: PermissionRequest): Promise<void> {
    const { id, key, tenant } = this.#claim;
    const approval = uuid7();
    this.#open.add(request.id);
    this.#writer.statement(async (sql) => {
      await pipelined([
        sql.query(
          'insert into @.approval (id, key, turn, tenant, request_id, request) values ($1, $2, $3, $4, $5, $6) on conflict do nothing',
          [approval, key, id, tenant, request.id, JSON.stringify(request)],
        ),
        logEvent(sql, 'approval-requested', {
          key,
          turn: id,
          worker: this.#writer.fence.owner,
          detail: { approval, tool: request.toolName },
        }),
      ]);
    });
    this.#writer.event({ kind: 'permission-requested', body: JSON.stringify({ approval, request }) });
    await this.#writer.flush();
  }
}
