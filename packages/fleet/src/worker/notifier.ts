import { setTimeout as delay } from 'node:timers/promises';
import { type ApprovalNotice, noticeOf } from '../approval/notice.ts';
import type { Database } from '../database/database.ts';
import type { Hub } from '../database/hub.ts';
import { logEvent, NOTICES } from '../database/log.ts';
import { ApprovalNoticeError } from '../errors.ts';
import { type ApprovalRow, approvalOf, SELECT_APPROVAL } from '../fleet/approvals.ts';
import type { NoticeJob, NoticeTarget, Queue } from '../queue/queue.ts';
import { NoticeRefused, type SendNotice } from '../webhook/send.ts';

/** Time for `onApproval`. */
const CALL_MS = 60_000;

interface NotifierParts {
  readonly database: Database;
  readonly queue: Queue;
  readonly hub: Hub;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
  /** How each kind of target is notified; targets without a function belong to other workers. */
  readonly senders: Partial<Readonly<Record<NoticeTarget, SendNotice>>>;
}

/** Notifies the webhook and the function of the service of approvals, at least once: if a worker dies, its notices are sent again. */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #closing = new AbortController();
  readonly #loops: Promise<unknown>;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
    const targets: readonly NoticeTarget[] = ['webhook', 'function'];
    this.#loops = Promise.all(
      targets.map(async (target) => {
        const send = parts.senders[target];
        if (send !== undefined) await this.#loop(target, send);
      }),
    );
  }

  /** Stops; notices that are being sent are sent again by another worker. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loops;
  }

  async #loop(target: NoticeTarget, send: SendNotice): Promise<void> {
    const { queue, hub, pollMs, onError } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const looked = new AbortController();
      // Registered before the search, so that no notification is missed.
      const woken = hub.wait(NOTICES, pollMs * (0.75 + Math.random() / 2), AbortSignal.any([signal, looked.signal]));
      try {
        const jobs = await queue.fetchNotices(target);
        await Promise.all(jobs.map((job) => this.#deliver(target, job, send)));
        if (jobs.length === 0) await woken;
      } catch (error) {
        onError(error);
        await delay(pollMs, undefined, { signal }).catch(() => {});
      } finally {
        looked.abort();
      }
    }
  }

  async #deliver(target: NoticeTarget, job: NoticeJob, send: SendNotice): Promise<void> {
    const { database, queue, onError } = this.#parts;
    const [row] = await database.query<ApprovalRow>(`${SELECT_APPROVAL} where id = $1`, [job.approval]);
    try {
      // A pruned approval needs no answer.
      if (row) await send(job.id, noticeOf(job.kind, job.at, approvalOf(row)), row.now, this.#closing.signal);
    } catch (error) {
      const refused = error instanceof NoticeRefused ? error : undefined;
      const { approval, kind, attempt, isLast } = job;
      const isFinal = isLast || refused?.isFinal === true;
      const reason = refused?.message ?? 'onApproval() failed';
      if (!isFinal) await queue.retryNotice(target, job.id);
      else {
        await queue.completeNotice(target, job.id);
        const detail = { approval, notice: kind, target, reason };
        await logEvent(database, 'approval-notice-failed', { key: row?.key ?? '', turn: row?.turn ?? '', detail });
      }
      // A worker that stops has interrupted it.
      if (!this.#closing.signal.aborted)
        onError(
          new ApprovalNoticeError({ approval, kind, target, attempt, isFinal, reason }, refused ? undefined : error),
        );
      return;
    }
    await queue.completeNotice(target, job.id);
  }
}

/** Calls the function of the service, with a time limit. */
export function functionSender(onApproval: (notice: ApprovalNotice, id: string) => void | Promise<void>): SendNotice {
  return async (id, notice, _now, signal) => {
    const timer = new AbortController();
    const late = delay(CALL_MS, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).then(
      () => Promise.reject(new NoticeRefused(`onApproval() has not returned within ${CALL_MS / 1_000} s`)),
      () => (timer.signal.aborted ? undefined : Promise.reject(new NoticeRefused('the worker stops'))),
    );
    try {
      await Promise.race([(async () => onApproval(notice, id))(), late]);
    } finally {
      timer.abort();
    }
  };
}
