import type { PermissionRequest, RunEvent, Session } from 'coxswain';
import type { ObservedMessage, ObservedPrompt, ObservedRun, ObservedTurnEnd, RunWatcher } from 'coxswain/observe';
import { fileBefore } from '../../approvals/file-before.ts';
import { isFailure, outcomeOfKind } from '../../conversations/outcome.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { spanHead } from '../../conversations/timeline.ts';
import { fieldsOf, textIn } from '../../transcript/fields.ts';
import { remedyOf } from '../../transcript/remedy.ts';

/** What a feed needs besides its run. */
export interface FeedParts {
  /** Reads the earlier messages; what happens in the meantime is processed afterwards. */
  readonly history: (() => Promise<void>) | undefined;
  readonly ended: () => void;
}

/** The id for turns that began before the session was watched. */
const EARLIER = 'earlier';

/** Delay before a request is shown: requests that a callback answers immediately never need a person. */
const CALLBACK_MS = 30;

/** Writes the activity of an observed run into its record. */
export class RunFeed {
  readonly run: ObservedRun;
  readonly record: ConversationRecord;
  /** Turns that wait, and the running one. */
  readonly waiting: Set<string> = new Set();
  readonly running: Set<string> = new Set();
  /** The jobs of a pool by turn. */
  readonly jobs: Map<string, string> = new Map();
  readonly #parts: FeedParts;
  readonly #asks = new Map<string, { readonly timer: NodeJS.Timeout; readonly toolUseId: string | undefined }>();
  /** Updates that wait for the history. */
  #held: (() => void)[] | undefined;

  constructor(run: ObservedRun, record: ConversationRecord, parts: FeedParts) {
    this.run = run;
    this.record = record;
    this.#parts = parts;
    if (!parts.history) return;
    this.#held = [];
    void parts.history().finally(() => {
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const take of held) take();
    });
  }

  /** `senderOf` returns the inspector user who sent the prompt of a turn. */
  watcher(senderOf: (prompt: ObservedPrompt) => string | null): RunWatcher {
    return {
      prompt: (prompt) => {
        const by = senderOf(prompt);
        this.#take(() => this.#prompt(prompt, by));
      },
      message: (message) => this.#take(() => this.#message(message)),
      event: (event) => this.#take(() => this.#event(event)),
      turnEnded: (end) => this.#take(() => this.#turnEnded(end)),
    };
  }

  /** Takes over what an open session is doing and waiting for. */
  joinLate(session: Session): void {
    this.#take(() => {
      this.running.add(EARLIER);
      this.record.change({ sessionId: session.id ?? null }, { running: 1 });
      for (const request of session.pendingPermissions()) this.#ask(request, { at: request.requestedAt, turn: null });
    });
    void session.idle().then(() =>
      this.#take(() => {
        this.running.delete(EARLIER);
        this.#count();
      }),
    );
  }

  /** Stops its timers. */
  end(): void {
    for (const { timer } of this.#asks.values()) clearTimeout(timer);
    this.#asks.clear();
  }

  #take(take: () => void): void {
    if (this.#held) this.#held.push(take);
    else take();
  }

  #prompt({ turn, content, steers, job, at }: ObservedPrompt, by: string | null): void {
    if (job !== null) this.jobs.set(turn, job);
    const waits = !steers && this.run.kind !== 'query';
    if (!steers) (waits ? this.waiting : this.running).add(turn);
    this.record.prompt(content, { at, turn }, steers, { by, waits });
    this.#count({ key: this.run.pool?.key ?? this.record.info.key });
  }

  #message({ message, turn, at }: ObservedMessage): void {
    this.record.message(message, { at, turn });
  }

  #turnEnded({ turn, outcome, error, cost }: ObservedTurnEnd): void {
    const at = Date.now();
    this.waiting.delete(turn);
    this.running.delete(turn);
    this.jobs.delete(turn);
    const code = String(error?.code ?? 'no-result');
    this.record.turnEnded(turn, { outcome, error: code, cost, at, message: String(error?.message ?? '') });
    if (error)
      this.#problem('error', String(error.code ?? 'unknown'), String(error.message ?? ''), error, { at, turn });
    this.#count();
    const failed = isFailure({ outcome: outcomeOfKind(outcome ?? code) });
    if (this.run.kind === 'query' && failed) this.record.ended('failed', at, String(error?.message ?? outcome));
  }

  #event(event: RunEvent): void {
    const { record } = this;
    const { at } = event;
    const turn = [...this.running][0] ?? null;
    const moment = { at, turn };
    switch (event.type) {
      case 'ready':
        return record.change({ sessionId: event.sessionId ?? record.info.sessionId });
      case 'turn-started':
        this.waiting.delete(event.turn);
        this.running.add(event.turn);
        record.spans.turnStarted(event.turn, at);
        return this.#count();
      case 'cost-reported':
        return event.turn === null ? record.spent(event.cost, at) : undefined;
      case 'warning':
        return this.#problem('warning', event.warning.code, event.warning.message, event.warning.context, moment);
      case 'stderr':
        return record.note('stderr', event.line, moment);
      case 'permission-requested':
        return this.#ask(event.request, moment);
      case 'permission-answered':
        return this.#answered(event.id, event.decision, at);
      case 'callback-started':
        if (event.kind !== 'hook') return undefined;
        return record.timeline.open(turn, { ...spanHead('hook', event.id, event.name), startedAt: at, entry: null });
      case 'callback-ended':
        return event.kind === 'hook' ? record.timeline.close(`hook ${event.id}`, at, event.decision) : undefined;
      case 'task-opened':
        this.#taskOpened(event.task, moment);
        return this.#count();
      case 'task-closed':
        record.tasks.close(event.task, event.status, at);
        record.timeline.close(`task ${event.task}`, at, event.status ?? 'ended');
        return this.#count();
      case 'restarting':
        record.note('restarting', `The CLI died; restart ${event.attempt} in ${event.delayMs} ms`, moment, event.cause);
        return record.change({}, { restarting: event.attempt });
      case 'restarted':
        record.note(
          'restarted',
          event.resumed ? 'The CLI was restarted and continues the conversation' : 'The CLI was restarted',
          moment,
        );
        return record.change({}, { restarting: null });
      case 'gave-up':
        return record.note('gave-up', `Not restarted again after ${event.restarts} restarts`, moment, event.cause);
      case 'turn-interrupted':
        return record.note(
          'turn-interrupted',
          `The turn was cut off${event.replayedAs === null ? '' : ' and is sent again'}`,
          moment,
        );
      case 'paused':
        record.note('paused', `Paused (${event.reason}) until ${new Date(event.until).toISOString()}`, moment);
        return record.change({}, { pausedUntil: event.until });
      case 'resumed':
        return record.change({}, { pausedUntil: null });
      case 'exit':
        if (event.exitCode === 0 || event.ended === 'stopped') return undefined;
        return record.note('exit', `The CLI exited with ${event.exitCode ?? event.signal ?? '?'}`, moment);
      case 'failed': {
        const [code, message] = [textIn(event.error, 'code') ?? 'unknown', textIn(event.error, 'message')];
        this.#problem('error', code, message ?? '', event.error, moment);
        // A program that stops its own run is not a failure.
        return this.#runEnded(isFailure({ outcome: outcomeOfKind(code) }) ? 'failed' : 'closed', at, message);
      }
      case 'stopped':
      case 'ended':
        return this.#runEnded('closed', at, null);
      default:
        return undefined;
    }
  }

  #taskOpened(task: string, { at, turn }: { at: number; turn: string | null }): void {
    const { description } = this.record.tasks.open(task, at);
    if (this.record.tasks.isAwaited(task)) return;
    this.record.timeline.open(turn, { ...spanHead('task', task, description), startedAt: at, entry: null });
  }

  #ask(request: PermissionRequest, { at, turn }: { at: number; turn: string | null }): void {
    const show = async (): Promise<void> => {
      const before = await fileBefore(request, this.record.info.cwd);
      if (this.#asks.get(request.id) !== asked) return; // It was answered in the meantime.
      this.#asks.delete(request.id);
      this.record.ask(request, at, turn, { before });
    };
    const asked = { timer: setTimeout(() => void show(), CALLBACK_MS), toolUseId: request.toolUseId };
    this.#asks.set(request.id, asked);
  }

  #answered(id: string, decision: string, at: number): void {
    const unseen = this.#asks.get(id);
    if (!unseen) return this.record.answered(id, decision, at);
    clearTimeout(unseen.timer);
    this.#asks.delete(id);
    if (decision === 'deny' && unseen.toolUseId !== undefined) this.record.refused(unseen.toolUseId);
  }

  #runEnded(life: 'closed' | 'failed', at: number, error: string | null): void {
    this.end();
    this.waiting.clear();
    this.running.clear();
    this.record.ended(life, at, error);
    this.#parts.ended();
  }

  #problem(
    kind: 'warning' | 'error',
    code: string,
    message: string,
    detail: unknown,
    moment: { at: number; turn: string | null },
  ): void {
    this.record.problem({ kind, code, message, remedy: remedyOf(code), detail: fieldsOf(detail) }, moment);
  }

  #count(info: { readonly key?: string | null } = {}): void {
    this.record.change(info, { running: this.running.size, queued: this.waiting.size });
  }
}
