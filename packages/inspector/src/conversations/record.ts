import type { Message, PermissionRequest, TurnCost, UserContent } from 'coxswain';
import type { Approval, AuditEntry, Conversation, ConversationDetail, Entry, SourceInfo, TurnInfo } from '../api.ts';
import type { Journal } from '../journal/journal.ts';
import type { Aggregates } from '../stats/aggregates.ts';
import { oneLine } from '../transcript/cut.ts';
import { EntryStore } from '../transcript/entry-store.ts';
import { contentText, fieldsOf, numberIn, textIn } from '../transcript/fields.ts';
import type { FileBefore } from '../transcript/file-changes.ts';
import { type Moment, type Problem, Projector } from '../transcript/projector.ts';
import { isAwaitedTask } from '../transcript/system-line.ts';
import { actionsOf } from './act.ts';
import type { Controls } from './controls.ts';
import { ConversationCost } from './conversation-cost.ts';
import { costInfo, costsByModel } from './cost.ts';
import { type Facts, noFacts } from './facts.ts';
import { Secrets } from './secrets.ts';
import { setupOf } from './setup.ts';
import { type Activity, stateOf, Tasks } from './state.ts';
import { spanHead, Timeline } from './timeline.ts';
import { noteToolSpans } from './tool-spans.ts';

/** What all conversations of an inspector share. */
export interface Shared {
  readonly journal: Journal;
  readonly aggregates: Aggregates;
  readonly desk: RequestDesk;
  readonly redact: (text: string) => string;
  readonly readOnly: boolean;
}

/** Where the permission requests of conversations wait for a person. */
export interface RequestDesk {
  openOf(conversation: string): number;
  listOf(conversation: string): Approval[];
  open(
    record: ConversationRecord,
    request: PermissionRequest,
    about: { readonly at: number; readonly entry: number | null; readonly before: FileBefore | undefined },
  ): void;
  /** Returns the tool use that the request was about. */
  settled(
    conversation: string,
    requestId: string,
    end: { readonly decision: string; readonly at: number; readonly by: string | null },
  ): string | undefined;
  dropOf(conversation: string, at: number): void;
}

/** One conversation: its facts, its transcript, its turns. Sources feed it, the server reads it. */
export class ConversationRecord {
  readonly id: string;
  readonly source: SourceInfo;
  readonly entries: EntryStore = new EntryStore();
  readonly timeline: Timeline;
  readonly tasks: Tasks = new Tasks();
  readonly secrets: Secrets;
  readonly redact: (text: string) => string;
  controls: Controls = {};
  /** Reads the transcript when it is first asked for. */
  load: (() => Promise<void>) | undefined;
  /** Gets every entry as it comes, or becomes, and as it grows. */
  onEntry: ((entry: Entry, grown: boolean) => void) | undefined;
  readonly #shared: Shared;
  #projector: Projector;
  #facts: Facts;
  #activity: Omit<Activity, 'approvals' | 'tasks'> = {
    ...{ life: 'open', running: 0, queued: 0, pausedUntil: null, restarting: null, outcome: null, error: null },
  };
  readonly #cost = new ConversationCost();
  #counts = { turns: 0, warnings: 0, errors: 0 };
  #setup: Record<string, string> = {};
  /** How many requests people have denied since the last warning about denied tools. */
  #denied = 0;
  /** Nothing is noted: the transcript is being read. */
  #quiet = false;

  constructor(id: string, source: SourceInfo, facts: Partial<Facts>, shared: Shared) {
    this.id = id;
    this.source = source;
    this.#shared = shared;
    this.secrets = new Secrets(shared.redact);
    this.redact = this.secrets.redact;
    this.#facts = { ...noFacts(), ...facts };
    this.timeline = new Timeline((turn) => {
      if (!this.#quiet) shared.journal.note({ what: 'turn', id, turn });
    });
    this.#projector = this.#newProjector();
  }

  get facts(): Facts {
    return this.#facts;
  }

  get activity(): Omit<Activity, 'approvals' | 'tasks'> {
    return this.#activity;
  }

  summary(): Conversation {
    const { title, ...facts } = this.#facts;
    const approvals = this.#shared.desk.openOf(this.id);
    const { state, note, outcome } = stateOf({ ...this.#activity, approvals, tasks: this.tasks.running });
    return {
      id: this.id,
      source: this.source.id,
      kind: this.source.kind,
      ...facts,
      title: oneLine(this.redact(title)),
      state,
      stateNote: note === null ? null : oneLine(this.redact(note)),
      outcome,
      cost: this.#cost.total,
      entries: this.load === undefined || this.entries.total > 0 ? this.entries.total : null,
      ...this.#counts,
      approvals,
      actions: this.#shared.readOnly ? [] : actionsOf(this.controls, this.#activity),
    };
  }

  detail(children: readonly string[]): ConversationDetail {
    const { desk, journal } = this.#shared;
    return {
      conversation: this.summary(),
      costByModel: { ...this.#cost.byModel },
      approvals: desk.listOf(this.id),
      tasks: this.tasks.background(),
      setup: this.#setup,
      children,
      cursor: journal.cursorAt(journal.seq),
    };
  }

  /** An entry as it is now: a streaming one with its text so far. */
  entry(n: number): Entry | undefined {
    const entry = this.entries.get(n);
    if (entry?.kind !== 'text' && entry?.kind !== 'thinking') return entry;
    const text = entry.streaming ? this.#projector.streamed(n) : undefined;
    return text === undefined ? entry : { ...entry, text: { text, length: text.length, more: null } };
  }

  turn(id: string): TurnInfo | undefined {
    return this.timeline.get(id);
  }

  change(facts: Partial<Facts>, activity: Partial<Activity> = {}): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#activity = { ...this.#activity, ...activity };
    this.#changed();
  }

  /** A prompt was sent, or added to the running turn. `waits`: its turn has not begun. */
  prompt(
    content: UserContent,
    moment: Moment & { readonly at: number },
    steers: boolean,
    { by = null, waits = false }: { readonly by?: string | null; readonly waits?: boolean } = {},
  ): void {
    const n = this.#projector.prompt(content, moment, steers ? 'steer' : 'user', by);
    const title = oneLine(this.redact(contentText(content)));
    if (this.#facts.title === '') this.#facts = { ...this.#facts, title };
    if (!steers && moment.turn !== null) {
      this.timeline.begin(moment.turn, oneLine(title, 80), moment.at, n, waits);
    }
    this.change({ updatedAt: moment.at, startedAt: this.#facts.startedAt ?? moment.at });
  }

  /** A message of the CLI. One that cannot be shown is shown as JSON. */
  message(message: Message, moment: Moment): void {
    const before = this.entries.total;
    try {
      this.#learn(message, moment);
      this.#projector.message(message, moment);
    } catch (error) {
      this.#projector.system('unreadable', `A message could not be shown: ${String(error)}`, moment, message);
    }
    if (message.type === 'stream_event' && this.entries.total === before) return;
    this.change(moment.at === null ? {} : { updatedAt: Math.max(this.#facts.updatedAt, moment.at) });
  }

  note(subtype: string, text: string, moment: Moment, detail?: unknown): void {
    this.#projector.system(subtype, text, moment, detail);
    this.#changed();
  }

  problem(problem: Problem, moment: Moment): void {
    if (problem.code === 'permission-denied' && this.#isOwnDecision(problem)) return;
    this.#counts[problem.kind === 'warning' ? 'warnings' : 'errors'] += 1;
    this.#projector.problem(problem, moment);
    this.#changed();
  }

  /** Something was done from the page. */
  audit(entry: AuditEntry): void {
    if (entry.action === 'deny' && entry.error === null) this.#denied += 1;
    this.#projector.audit(entry, null);
    this.#changed();
  }

  /** The CLI asks for a permission. `before` is the file that it would change, if known. */
  ask(request: PermissionRequest, at: number, turn: string | null, before?: FileBefore): void {
    const entry = request.toolUseId === undefined ? null : this.#projector.asking(request.toolUseId, true);
    this.timeline.open(turn, { ...spanHead('permission', request.id, request.toolName), startedAt: at, entry });
    this.#shared.desk.open(this, request, { at, entry, before });
    this.#changed();
  }

  /** A permission request needs no answer any more. `by` is who answered elsewhere. */
  answered(requestId: string, decision: string, at: number, by: string | null = null): void {
    const toolUseId = this.#shared.desk.settled(this.id, requestId, { decision, at, by });
    if (toolUseId !== undefined) this.#projector.asking(toolUseId, false);
    if (toolUseId !== undefined && decision === 'deny') this.refused(toolUseId);
    this.timeline.close(`permission ${requestId}`, at, decision);
    this.#changed();
  }

  /** A person has changed the input of a tool call. */
  edited(toolUseId: string, input: object): void {
    this.#projector.edited(toolUseId, fieldsOf(input));
  }

  refused(toolUseId: string): void {
    this.#projector.refused(toolUseId);
  }

  /** A turn is over. `outcome` is the kind of its result; without one, `error` is what ended it, and `message` says so. */
  turnEnded(
    turn: string,
    end: { outcome: string | null; error?: string; cost: TurnCost; at: number; message: string },
  ): void {
    const { outcome, at } = end;
    const kind = outcome ?? end.error ?? 'no-result';
    const cost = costInfo(end.cost);
    this.#projector.turnEnded(at);
    if (outcome === null) this.#projector.noResult({ at, turn }, end.message);
    const result = this.#projector.lastResult === undefined ? undefined : this.entries.get(this.#projector.lastResult);
    const startedAt = this.timeline.get(turn)?.startedAt;
    const durationMs = startedAt === undefined ? null : at - startedAt;
    // The time that the timeline shows, too, not that of the CLI's own clock.
    const measured = durationMs === null ? {} : { durationMs };
    if (outcome !== null && result?.kind === 'result' && result.turn === turn)
      this.#put({ ...result, cost, ...measured });
    this.timeline.end(turn, kind, cost, at);
    this.#counts.turns += 1;
    this.spent(end.cost, at, { durationMs, ok: outcome === 'completed' });
    this.change({ updatedAt: at }, { outcome: kind });
  }

  /** A turn ended as its source found out: a transcript has no results, a recording may lack one. */
  endedWithoutResult(turn: string, kind: string, at: number): void {
    this.#projector.noResult({ at, turn }, '', kind);
    this.timeline.end(turn, kind, null, at);
    this.change({}, { outcome: kind });
  }

  /** Adds a cost to the sums. */
  spent(
    cost: TurnCost,
    at: number,
    turn: { durationMs: number | null; ok: boolean } = { durationMs: null, ok: true },
  ): void {
    // The list of a fleet has the whole cost.
    if (this.source.kind !== 'fleet') this.#cost.add(costInfo(cost));
    const byModel = costsByModel(cost);
    this.#cost.addByModel(byModel);
    // What a recording cost was spent long ago, maybe by others; a fleet keeps its own accounts.
    if (this.source.kind === 'process') {
      this.#shared.aggregates.add({ at, conversation: this.id, cost: costInfo(cost), byModel, ...turn });
      this.#shared.journal.note({ what: 'event', id: null, event: { type: 'stats-changed' } });
    }
    this.#changed();
  }

  /** Sets the cost to what the source has counted. */
  setCost(usd: number): void {
    this.#cost.setUsd(usd);
  }

  /** Adds the tokens of a message from a transcript, which says nothing about dollars. */
  used(message: Message): void {
    this.#cost.addTokensOf(message);
  }

  /** The conversation has no process any more. */
  ended(life: 'closed' | 'failed', at: number, error: string | null = null): void {
    this.tasks.closeAll(at);
    this.#projector.turnEnded(at, true);
    this.timeline.endAll(life === 'failed' ? 'no-result' : 'unfinished', at);
    this.#shared.desk.dropOf(this.id, at);
    this.change({ updatedAt: at }, { life, error, running: 0, queued: 0, restarting: null, pausedUntil: null });
  }

  /** The transcript will be read again from its beginning. */
  rewrite(): void {
    this.entries.clear();
    this.#projector = this.#newProjector();
    this.#cost.clearTotal();
    this.#noteRewritten();
  }

  /** Lets a long transcript be read without a note for each of its entries. */
  async quietly(read: () => Promise<void>): Promise<void> {
    this.#quiet = true;
    try {
      await read();
    } finally {
      this.#quiet = false;
      this.#noteRewritten();
      this.#changed();
    }
  }

  /** Frees what it holds outside of memory. */
  dispose(): void {
    this.entries.clear();
  }

  /** Whether people have denied all that a warning reports: they need not be warned of their own decisions. */
  #isOwnDecision({ detail }: Problem): boolean {
    const denied = this.#denied;
    this.#denied = 0;
    return (numberIn(fieldsOf(detail), 'count') ?? Number.POSITIVE_INFINITY) <= denied;
  }

  /** What a message says about the conversation itself, and what takes time in it. */
  #learn(message: Message, { at, turn }: Moment): void {
    const fields = fieldsOf(message);
    if (message.type === 'system') {
      const title = textIn(fields, 'title');
      if (fields.subtype === 'session_title_changed' && title !== null) this.#facts = { ...this.#facts, title };
      if (fields.subtype === 'init') this.#start(fields);
      const [task, description] = [textIn(fields, 'task_id'), textIn(fields, 'description')];
      if (fields.subtype === 'task_started' && task !== null && description !== null) {
        this.tasks.describe(task, oneLine(this.redact(description)));
        this.timeline.rename(`task ${task}`, oneLine(this.redact(description)));
      }
      if (task !== null && isAwaitedTask(fields)) {
        this.tasks.await(task, true);
        this.timeline.remove(`task ${task}`);
      }
      if (task !== null && fieldsOf(fields.patch).is_backgrounded === true) this.tasks.await(task, false);
      return;
    }
    if (message.type !== 'assistant' && message.type !== 'user') return;
    const api = fieldsOf(fields.message);
    const [parent, model] = [textIn(fields, 'parent_tool_use_id'), textIn(api, 'model')];
    if (model !== null && parent === null && model !== '<synthetic>') this.#facts = { ...this.#facts, model };
    const { redact } = this;
    if (at !== null) noteToolSpans(this.timeline, api, { at, turn, parent, entry: this.entries.total, redact });
  }

  #start(init: Readonly<Record<string, unknown>>): void {
    const { cwd, model, sessionId } = this.#facts;
    this.#facts = {
      ...this.#facts,
      cwd: textIn(init, 'cwd') ?? cwd,
      model: textIn(init, 'model') ?? model,
      sessionId: textIn(init, 'session_id') ?? sessionId,
    };
    this.#setup = setupOf(init, this.redact);
  }

  #newProjector(): Projector {
    const { journal } = this.#shared;
    const { entries, id, redact } = this;
    return new Projector({
      get total() {
        return entries.total;
      },
      get: (n) => entries.get(n),
      put: (entry) => this.#put(entry),
      grown: (n) => {
        journal.note({ what: 'growth', id, n });
        const entry = this.onEntry && this.entry(n);
        if (entry) this.onEntry?.(entry, true);
      },
      keepWhole: (text) => `api/conversations/${id}/parts/${entries.keepPart(text)}`,
      redact,
    });
  }

  #put(entry: Entry): void {
    this.entries.put(entry);
    this.onEntry?.(entry, false);
    if (!this.#quiet) this.#shared.journal.note({ what: 'entry', id: this.id, n: entry.n });
  }

  #changed(): void {
    if (!this.#quiet) this.#shared.journal.note({ what: 'conversation', id: this.id });
  }

  #noteRewritten(): void {
    this.#shared.journal.note({ what: 'event', id: this.id, event: { type: 'rewritten', conversation: this.id } });
  }
}
