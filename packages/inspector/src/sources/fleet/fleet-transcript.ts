import { approvalId } from '../../approvals/approval-id.ts';
import { describeDecision } from '../../approvals/describe-decision.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { remedyOf } from '../../transcript/remedy.ts';
import type { FleetItem, FleetTurnInfo, WatchableFleet } from './watchable-fleet.ts';
import type { WorkerNames } from './worker-names.ts';

/** Number of turns shown per conversation, and time to wait for changes without an event. */
const LIMITS = { turns: 1_000, idleMs: 5_000 };

/** Reads the turns of a fleet conversation into its record: each item once, and live while it is watched. */
export class FleetTranscript {
  readonly #fleet: WatchableFleet;
  readonly #key: string;
  readonly #record: ConversationRecord;
  readonly #workers: WorkerNames;
  /** The number of the last turn that was read completely. */
  #done = 0;
  /** The turn that is being read, and its last item. */
  #current: { readonly id: string; seq: number } | undefined;
  /** The requests of the turn that is being read. */
  readonly #asked = new Map<string, FleetItem & { readonly kind: 'permission-requested' }>();
  #reading: Promise<void> = Promise.resolve();
  #following: AbortController | undefined;
  /** An event arrived since the turns were last listed. */
  #hasEvents = false;
  #wake: () => void = () => {};

  constructor(fleet: WatchableFleet, key: string, record: ConversationRecord, workers: WorkerNames) {
    this.#workers = workers;
    this.#fleet = fleet;
    this.#key = key;
    this.#record = record;
  }

  /** Reads the turns that have ended. While followed, all turns are read anyway. */
  async read(): Promise<void> {
    if (this.#following) return;
    await this.#inTurn(() => this.#catchUp(AbortSignal.timeout(30_000), (turn) => turn.state === 'done'));
  }

  /** Keeps reading until `unfollow`. */
  follow(): void {
    if (this.#following) return;
    const following = new AbortController();
    this.#following = following;
    void this.#inTurn(async () => {
      while (!following.signal.aborted) {
        await this.#catchUp(following.signal, () => true).catch(() => {});
        if (!following.signal.aborted) await this.#nextEvent();
      }
    });
  }

  unfollow(): void {
    this.#following?.abort();
    this.#following = undefined;
    this.#wake();
  }

  /** Reports an event of the conversation. */
  wake(): void {
    this.#hasEvents = true;
    this.#wake();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#reading.then(work);
    this.#reading = done.catch(() => {});
    return done;
  }

  #nextEvent(): Promise<void> {
    if (this.#hasEvents) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LIMITS.idleMs);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #catchUp(signal: AbortSignal, wanted: (turn: FleetTurnInfo) => boolean): Promise<void> {
    this.#hasEvents = false;
    const turns = await this.#fleet.turns({ key: this.#key, limit: LIMITS.turns });
    const next = turns.filter(({ seq }) => seq > this.#done).sort((a, b) => a.seq - b.seq);
    for (const turn of next) {
      if (signal.aborted || !wanted(turn)) return;
      if (this.#current?.id !== turn.id) {
        this.#current = { id: turn.id, seq: 0 };
        this.#record.prompt(turn.prompt, { at: turn.createdAt, turn: turn.id }, false, {
          by: turn.submittedBy,
          waits: turn.state === 'waiting',
        });
      }
      if (!(await this.#read(turn, this.#current, signal))) return;
      this.#done = turn.seq;
      this.#current = undefined;
    }
  }

  /** Resolves with true if the turn was read to its end. */
  async #read(turn: FleetTurnInfo, place: { seq: number }, signal: AbortSignal): Promise<boolean> {
    const { follow, info } = await this.#fleet.turn(turn.id);
    for await (const item of follow({ after: place.seq, signal })) {
      // The cost of a turn is known only at its end.
      if (item.kind === 'permission-requested') this.#asked.set(item.request.id, item);
      else if (item.kind === 'permission-answered') await this.#answered(item);
      else this.#take(await this.#withName(item), item.kind === 'outcome' ? await info() : turn);
      place.seq = item.seq;
      if (item.kind === 'outcome') return true;
    }
    if (turn.state !== 'done' || signal.aborted) return false;
    // The items of an old turn may have been deleted.
    if (turn.outcome !== null) this.#end(await info(), turn.endedAt ?? turn.createdAt, turn.outcome);
    return true;
  }

  /** Records who answered a request, and how. */
  async #answered(item: FleetItem & { readonly kind: 'permission-answered' }): Promise<void> {
    const asked = this.#asked.get(item.requestId);
    this.#asked.delete(item.requestId);
    if (!asked || asked.approval === null) return;
    const [end] = await this.#fleet.approvals({ id: asked.approval, state: 'answered' });
    if (!end || end.by === null || end.answer === null) return;
    const { toolUseId } = asked.request;
    if (end.answer.decision === 'allow' && end.answer.updatedInput !== undefined && toolUseId !== undefined) {
      this.#record.edited(toolUseId, end.answer.updatedInput);
    }
    const about = describeDecision(asked.request, end.answer, this.#record.redact);
    const { id: conversation } = this.#record;
    const approval = approvalId(conversation, asked.request, this.#record.redact);
    this.#record.audit({ at: item.at, by: end.by, conversation, approval, ...about, error: null });
  }

  async #withName(item: FleetItem): Promise<FleetItem> {
    if (item.kind !== 'state' || item.worker === null) return item;
    return { ...item, worker: await this.#workers.nameOf(item.worker) };
  }

  #take(item: FleetItem, turn: FleetTurnInfo): void {
    const moment = { at: item.at, turn: turn.id };
    switch (item.kind) {
      case 'message':
        return this.#record.message(item.message, moment);
      case 'warning': {
        const { code, message, context } = item.warning;
        return this.#record.problem(
          { kind: 'warning', code, message, remedy: remedyOf(code), detail: context },
          moment,
        );
      }
      case 'error': {
        const { code = 'unknown', message } = item.error;
        return this.#record.problem(
          { kind: 'error', code, message, remedy: remedyOf(code), detail: item.error },
          moment,
        );
      }
      case 'state':
        if (item.state === 'parked') {
          return this.#record.note('parked', 'Parked: no process waits for the answer', moment);
        }
        // Claiming a turn, before it is sent to the CLI, is shown in the queue.
        if (item.worker === null || item.state !== 'sent') return undefined;
        this.#record.spans.turnStarted(turn.id, item.at);
        return this.#record.note('worker', `Runs on ${item.worker}${again(item.attempt)}`, moment);
      case 'retry': {
        const seconds = Math.round(item.afterMs / 1_000);
        const text = `Attempt ${item.attempt} ended (${item.outcome.kind}); the next one begins in ${seconds} s`;
        return this.#record.note('retry', text, moment);
      }
      case 'notice':
        return this.#record.note('notice', item.text, moment);
      case 'outcome':
        return this.#end(turn, item.at, item.outcome);
      default:
        return undefined;
    }
  }

  #end(
    { id, costUsd }: FleetTurnInfo,
    at: number,
    { kind, message = '' }: NonNullable<FleetTurnInfo['outcome']>,
  ): void {
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
    const cost = { costUsd, usage, byModel: {}, complete: true };
    this.#record.turnEnded(id, { outcome: kind, cost, at, message });
  }
}

function again(attempt: number): string {
  return attempt > 1 ? `, attempt ${attempt}` : '';
}
