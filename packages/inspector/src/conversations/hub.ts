import type {
  Action,
  ActionResult,
  Approval,
  ApprovalAnswer,
  AuditEntry,
  Conversation,
  ConversationState,
  ConversationsPage,
  QueueAction,
  SourceInfo,
} from '../api.ts';
import { OpenApprovals } from '../approvals/open-approvals.ts';
import { Journal } from '../journal/journal.ts';
import { Refusal } from '../refusal.ts';
import type { ConversationRegistry, Source } from '../sources/source.ts';
import { Aggregates, type EndedTurn } from '../stats/aggregates.ts';
import { oneLine } from '../transcript/cut.ts';
import { act } from './act.ts';
import type { Actor } from './controls.ts';
import type { ConversationInfo } from './conversation-info.ts';
import { type ListFilter, matches } from './list-filter.ts';
import { isFailure } from './outcome.ts';
import { ConversationRecord, type Shared } from './record.ts';

/** How the hub is set up. */
export interface HubOptions {
  readonly redact: (text: string) => string;
  readonly readOnly: boolean;
  readonly onAudit: ((entry: AuditEntry) => void) | undefined;
  /** Called with each new permission request. */
  readonly onRequest?: ((approval: Approval) => void) | undefined;
}

/** Number of ended conversations of this process that are kept, and of audit entries. */
const KEPT = { ended: 1_000, audit: 1_000 };

/** Shortest interval between two refreshes of the sources. */
const FRESH_MS = 1_000;

/** The state of the inspector: the conversations of all sources, approvals, figures, the audit. */
export class Hub implements ConversationRegistry, Shared {
  readonly journal: Journal = new Journal();
  readonly aggregates: Aggregates = new Aggregates();
  readonly approvals: OpenApprovals;
  readonly redact: (text: string) => string;
  readonly readOnly: boolean;
  readonly sources: readonly Source[];
  readonly #onAudit: HubOptions['onAudit'];
  readonly #records = new Map<string, ConversationRecord>();
  readonly #watchers = new Map<string, number>();
  readonly #audit: AuditEntry[] = [];
  #freshUntil = 0;
  #refreshing: Promise<unknown> | undefined;

  constructor(sources: readonly Source[], { redact, readOnly, onAudit, onRequest }: HubOptions) {
    this.sources = sources;
    this.redact = redact;
    this.readOnly = readOnly;
    this.#onAudit = onAudit;
    this.approvals = new OpenApprovals(this.journal, onRequest);
  }

  get hasReaders(): boolean {
    return this.journal.hasReaders;
  }

  add(source: SourceInfo, id: string, info: Partial<ConversationInfo>): ConversationRecord {
    const record = new ConversationRecord(id, source, info, this);
    this.#records.set(id, record);
    this.journal.note({ what: 'conversation', id });
    if (this.#records.size > KEPT.ended) this.#forgetEnded();
    return record;
  }

  find(id: string): ConversationRecord | undefined {
    return this.#records.get(id);
  }

  bySession(sessionId: string): ConversationRecord | undefined {
    for (const record of this.#records.values()) {
      if (record.info.sessionId === sessionId && record.source.kind === 'process') return record;
    }
    return undefined;
  }

  remove(id: string): void {
    this.#records.get(id)?.entries.clear();
    if (!this.#records.delete(id)) return;
    this.journal.note({ what: 'event', id: null, event: { type: 'conversation-removed', conversation: id } });
  }

  queuesChanged(): void {
    this.journal.note({ what: 'event', id: null, event: { type: 'queues-changed' } });
  }

  countTurn(turn: EndedTurn): void {
    this.aggregates.add(turn);
    this.journal.note({ what: 'event', id: null, event: { type: 'stats-changed' } });
  }

  all(): IterableIterator<ConversationRecord> {
    return this.#records.values();
  }

  /** A conversation whose transcript has been read. @throws Refusal */
  async opened(id: string): Promise<ConversationRecord> {
    const record = this.#known(id);
    await record.load?.();
    return record;
  }

  childrenOf(id: string): string[] {
    return [...this.#records.values()].filter(({ info }) => info.parent === id).map((record) => record.id);
  }

  list(filter: ListFilter, offset: number, limit: number): ConversationsPage {
    const states: Record<ConversationState, number> = {
      ...{ 'needs-me': 0, running: 0, waiting: 0, idle: 0, done: 0, failed: 0 },
    };
    const found: Conversation[] = [];
    let failures = 0;
    for (const record of this.#records.values()) {
      const conversation = record.summary();
      states[conversation.state] += 1;
      if (isFailure(conversation)) failures += 1;
      if (matches(conversation, filter)) found.push(conversation);
    }
    found.sort((a, b) => urgency(b) - urgency(a) || b.updatedAt - a.updatedAt);
    const cursor = this.journal.cursorAt(this.journal.seq);
    return { conversations: found.slice(offset, offset + limit), total: found.length, states, failures, cursor };
  }

  /** Lets the sources look for new conversations. Never rejects. */
  async refresh(): Promise<void> {
    if (Date.now() < this.#freshUntil) return this.#refreshing?.then(() => {});
    this.#freshUntil = Date.now() + FRESH_MS;
    this.#refreshing = Promise.allSettled(this.sources.map((source) => source.refresh?.()));
    await this.#refreshing;
  }

  /** Marks a conversation as watched until the returned function is called. */
  watch(id: string): () => void {
    this.#watching(id, 1);
    return () => this.#watching(id, -1);
  }

  get audits(): readonly AuditEntry[] {
    return this.#audit;
  }

  /** Performs an action on a conversation. @throws Refusal */
  async act(id: string, action: Action, actor: Actor): Promise<ActionResult> {
    const record = this.#known(id);
    const text = 'text' in action ? (action.text ?? '') : 'title' in action ? action.title : '';
    const note = oneLine(record.redact(text), 500);
    return this.perform({ conversation: record.id, action: action.action, note }, actor, async () => {
      const conversation = await act(record, action, actor);
      return { result: { ok: true, conversation } };
    });
  }

  /** Performs an action on a queued turn. @throws Refusal */
  async actOnQueue(queue: string, action: QueueAction, actor: Actor): Promise<ActionResult> {
    const note = oneLine(`${queue}: ${action.turn}`, 500);
    return this.perform({ conversation: '', action: action.action, note }, actor, async () => {
      for (const source of this.sources) {
        if (!(await source.actOnQueue?.(queue, action, actor))) continue;
        this.queuesChanged();
        return { result: { ok: true, conversation: null } };
      }
      throw new Refusal('not-found', 'There is no such queue here.');
    });
  }

  /** Answers a permission request. @throws Refusal */
  async answer(approval: string, answer: ApprovalAnswer, actor: Actor): Promise<ActionResult> {
    const { conversation, about } = this.approvals.about(approval);
    const what = { conversation, action: answer.decision, note: about, approval: oneLine(approval) };
    return this.perform(what, actor, async () => {
      const { note, detail } = await this.approvals.answer(approval, answer, actor);
      return { note, detail, result: { ok: true, conversation: null } };
    });
  }

  /** Performs an action of a person and records it in the audit. `work` may return a more precise note than `what`. @throws Refusal */
  async perform<R>(
    what: Pick<AuditEntry, 'conversation' | 'action' | 'note'> & { readonly approval?: string },
    actor: Actor,
    work: () => Promise<{ note?: string; detail?: string | null; result: R }>,
  ): Promise<R> {
    if (this.readOnly)
      throw new Refusal('read-only', 'This inspector is read-only; restart it without read-only mode to use actions.');
    const known = { approval: null, ...what, by: actor.by };
    try {
      const { note = what.note, detail = null, result } = await work();
      this.#keepAudit({ ...known, at: Date.now(), note, detail, error: null });
      return result;
    } catch (error) {
      const { redact } = this.find(what.conversation) ?? this;
      const message = redact(error instanceof Error ? error.message : String(error));
      this.#keepAudit({ ...known, at: Date.now(), detail: null, error: oneLine(message, 500) });
      throw error instanceof Refusal ? error : new Refusal('failed', message);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.sources.map((source) => source.close()));
    for (const record of this.#records.values()) record.entries.clear();
    this.#records.clear();
  }

  #keepAudit(entry: AuditEntry): void {
    this.#audit.unshift(entry);
    if (this.#audit.length > KEPT.audit) this.#audit.pop();
    const record = this.#records.get(entry.conversation);
    // The items of a fleet already record who answered and when, also for later readers and other inspectors.
    if (record?.source.kind !== 'fleet') record?.audit(entry);
    this.journal.note({ what: 'event', id: null, event: { type: 'audit', audit: entry } });
    try {
      this.#onAudit?.(entry);
    } catch {
      // An exception of the listener is ignored.
    }
  }

  /** A conversation by its id, or by its session id, which links name. @throws Refusal */
  #known(id: string): ConversationRecord {
    const record = this.#records.get(id) ?? this.#ofSession(id.replace(/^d-/, ''));
    if (!record) throw new Refusal('not-found', 'There is no such conversation here. Reload the list.');
    return record;
  }

  /** The conversation of a session: the one that is open, or else the newest. */
  #ofSession(sessionId: string): ConversationRecord | undefined {
    const rank = ({ activity, info }: ConversationRecord): number =>
      (activity.life === 'open' ? 1e15 : 0) + info.updatedAt;
    const found = [...this.#records.values()].filter(({ info }) => info.sessionId === sessionId);
    return found.sort((a, b) => rank(b) - rank(a))[0];
  }

  #watching(id: string, change: number): void {
    const before = this.#watchers.get(id) ?? 0;
    const after = before + change;
    if (after > 0) this.#watchers.set(id, after);
    else this.#watchers.delete(id);
    const record = this.#records.get(id);
    const source = this.sources.find(({ info }) => info.id === record?.source.id);
    if (record && (before === 0) !== (after === 0)) source?.watched?.(record, after > 0);
  }

  /** Removes the oldest ended conversations of this process if there are too many. */
  #forgetEnded(): void {
    const ended = [...this.#records.values()].filter(
      ({ source, activity }) => source.kind === 'process' && activity.life !== 'open',
    );
    for (const { id } of ended.slice(0, Math.max(0, ended.length - KEPT.ended))) this.remove(id);
  }
}

function urgency({ state }: Conversation): number {
  return Number(state === 'needs-me');
}
