import type { Message, PermissionRequest, TurnCost, UserContent } from 'coxswain';
import type {
  ApprovalTerms,
  AuditEntry,
  Conversation,
  ConversationDetail,
  CostInfo,
  Entry,
  SourceInfo,
  TurnInfo,
} from '../api.ts';
import type { ApprovalStore, RequestContext, SettledBy } from '../approvals/approval-store.ts';
import type { Journal } from '../journal/journal.ts';
import type { Aggregates } from '../stats/aggregates.ts';
import { ToolShares } from '../stats/tool-shares.ts';
import { oneLine } from '../transcript/cut.ts';
import { EntryStore } from '../transcript/entry-store.ts';
import { contentText, fieldsOf, textIn } from '../transcript/fields.ts';
import { type Moment, type Problem, Projector } from '../transcript/projector.ts';
import { startsSubagent } from '../transcript/tool-call.ts';
import { actionsOf } from './act.ts';
import type { Controls } from './controls.ts';
import { ConversationCost } from './conversation-cost.ts';
import { type ConversationInfo, emptyInfo } from './conversation-info.ts';
import { costInfo, costsByModel } from './cost.ts';
import { ForkPoints } from './fork-points.ts';
import { lastLineOf } from './last-line.ts';
import { OwnDenials } from './own-denials.ts';
import { Secrets } from './secrets.ts';
import { setupOf } from './setup.ts';
import { Spans } from './spans.ts';
import { type Activity, NO_ACTIVITY, stateOf, Tasks } from './state.ts';
import { noteTaskReport } from './task-report.ts';
import { spanHead, Timeline } from './timeline.ts';

/** The parts that all conversations of an inspector share. */
export interface Shared {
  readonly journal: Journal;
  readonly aggregates: Aggregates;
  readonly approvals: ApprovalStore<ConversationRecord>;
  readonly redact: (text: string) => string;
  readonly readOnly: boolean;
}

/** One conversation: its fields, transcript and turns. Sources write to it, the server reads from it. */
export class ConversationRecord {
  readonly id: string;
  readonly source: SourceInfo;
  readonly entries: EntryStore = new EntryStore();
  readonly timeline: Timeline;
  readonly spans: Spans;
  readonly tasks: Tasks = new Tasks();
  readonly secrets: Secrets;
  readonly forkPoints: ForkPoints = new ForkPoints();
  readonly costs: ConversationCost = new ConversationCost();
  readonly redact: (text: string) => string;
  controls: Controls = {};
  /** Reads the transcript on first use. */
  load: (() => Promise<void>) | undefined;
  /** Called with every new or changed entry, and when one grows. */
  onEntry: ((entry: Entry, grown: boolean) => void) | undefined;
  readonly #shared: Shared;
  #projector: Projector;
  #info: ConversationInfo;
  #activity: Omit<Activity, 'approvals' | 'tasks'> = NO_ACTIVITY;
  readonly #shares = new ToolShares();
  #counts = { turns: 0, warnings: 0, errors: 0 };
  #setup: Record<string, string> = {};
  readonly #denials = new OwnDenials();
  /** Suppresses journal notes while the transcript is read. */
  #quiet = false;

  constructor(id: string, source: SourceInfo, info: Partial<ConversationInfo>, shared: Shared) {
    this.id = id;
    this.source = source;
    this.#shared = shared;
    this.secrets = new Secrets(shared.redact);
    this.redact = this.secrets.redact;
    this.#info = { ...emptyInfo(), ...info };
    this.timeline = new Timeline((turn) => {
      if (!this.#quiet) shared.journal.note({ what: 'turn', id, turn });
    });
    this.spans = new Spans(this.timeline);
    this.#projector = this.#newProjector();
  }

  get info(): ConversationInfo {
    return this.#info;
  }

  get activity(): Omit<Activity, 'approvals' | 'tasks'> {
    return this.#activity;
  }

  summary(): Conversation {
    const { title, ...info } = this.#info;
    const approvals = this.#shared.approvals.openOf(this.id);
    const { state, note, outcome } = stateOf({ ...this.#activity, approvals, tasks: this.tasks.running });
    return {
      id: this.id,
      source: this.source.id,
      kind: this.source.kind,
      ...info,
      title: oneLine(this.redact(title)),
      state,
      stateNote: note === null ? null : oneLine(this.redact(note)),
      outcome,
      lastLine: lastLineOf(state, this.entries, (n) => this.entry(n)),
      cost: this.costs.shown,
      entries: this.load === undefined || this.entries.total > 0 ? this.entries.total : null,
      ...this.#counts,
      approvals,
      actions: this.#shared.readOnly ? [] : actionsOf(this.controls, this.#activity),
    };
  }

  detail(children: readonly string[]): ConversationDetail {
    const { approvals, journal } = this.#shared;
    return {
      conversation: this.summary(),
      costByModel: { ...this.costs.byModel },
      approvals: approvals.listOf(this.id),
      tasks: this.tasks.background(),
      setup: this.#setup,
      children,
      cursor: journal.cursorAt(journal.seq),
    };
  }

  /** The current state of an entry; a streaming one includes its text so far. */
  entry(n: number): Entry | undefined {
    const entry = this.entries.get(n);
    if (entry?.kind !== 'text' && entry?.kind !== 'thinking') return entry;
    const text = entry.streaming ? this.#projector.streamed(n) : undefined;
    return text === undefined ? entry : { ...entry, text: { text, length: text.length, more: null } };
  }

  turn(id: string): TurnInfo | undefined {
    return this.timeline.get(id);
  }

  change(info: Partial<ConversationInfo>, activity: Partial<Activity> = {}): void {
    this.#info = { ...this.#info, ...info };
    this.#activity = { ...this.#activity, ...activity };
    this.#changed();
  }

  /** Adds a prompt that was sent, or added to the running turn. `waits`: its turn has not begun. */
  prompt(
    content: UserContent,
    moment: Moment & { readonly at: number },
    steers: boolean,
    { by = null, waits = false }: { readonly by?: string | null; readonly waits?: boolean } = {},
  ): void {
    const n = this.#projector.prompt(content, moment, steers ? 'steer' : 'user', by);
    if (!steers) this.forkPoints.prompt(n);
    const title = oneLine(this.redact(contentText(content)));
    if (this.#info.title === '') this.#info = { ...this.#info, title };
    if (!steers && moment.turn !== null) {
      this.timeline.begin(moment.turn, oneLine(title, 80), moment.at, n, waits);
      if (!waits) this.spans.prompted(moment.at);
    }
    this.change({ updatedAt: moment.at, startedAt: this.#info.startedAt ?? moment.at });
  }

  /** Adds a message of the CLI. If it cannot be shown, its JSON is shown instead. */
  message(message: Message, moment: Moment): void {
    const before = this.entries.total;
    try {
      this.#learn(message, moment);
      this.forkPoints.message(message);
      this.#projector.message(message, moment);
      if (!this.#quiet) this.#shares.note(message);
    } catch (error) {
      this.#projector.system('unreadable', `A message could not be shown: ${String(error)}`, moment, message);
    }
    if (message.type === 'stream_event' && this.entries.total === before) return;
    this.change(moment.at === null ? {} : { updatedAt: Math.max(this.#info.updatedAt, moment.at) });
  }

  note(subtype: string, text: string, moment: Moment, detail?: unknown): void {
    this.#projector.system(subtype, text, moment, detail);
    this.#changed();
  }

  problem(problem: Problem, moment: Moment): void {
    if (problem.code === 'permission-denied' && this.#denials.cover(problem)) return;
    this.#counts[problem.kind === 'warning' ? 'warnings' : 'errors'] += 1;
    this.#projector.problem(problem, moment);
    this.#changed();
  }

  /** Adds an action from the page. */
  audit(entry: AuditEntry): void {
    this.#denials.note(entry);
    this.#projector.audit(entry, null);
    this.#changed();
  }

  /** Opens a permission request. */
  ask(request: PermissionRequest, at: number, turn: string | null, context: RequestContext = {}): void {
    const { id, toolName, toolUseId } = request;
    const entry = toolUseId === undefined ? null : this.#projector.asking(toolUseId, true, at);
    const call = toolUseId === undefined ? null : `${startsSubagent(toolName) ? 'subagent' : 'tool'} ${toolUseId}`;
    this.timeline.open(turn, { ...spanHead('permission', id, toolName, call), startedAt: at, entry });
    this.#shared.approvals.open(this, request, { ...context, at, entry });
    this.#changed();
  }

  /** Changes who may answer a permission request, and until when. */
  changeTerms(requestId: string, terms: ApprovalTerms): void {
    this.#shared.approvals.changeTerms(this.id, requestId, terms);
  }

  /** Closes a permission request. `elsewhere`: who answered, if not on this page. */
  answered(requestId: string, decision: string, at: number, elsewhere: SettledBy = {}): void {
    const toolUseId = this.#shared.approvals.settled(this.id, requestId, { decision, at, ...elsewhere });
    if (toolUseId !== undefined) this.#projector.asking(toolUseId, false, at);
    if (toolUseId !== undefined && decision === 'deny') this.refused(toolUseId);
    this.timeline.close(`permission ${requestId}`, at, decision);
    this.#changed();
  }

  /** Records that a person changed the input of a tool call. */
  edited(toolUseId: string, input: object): void {
    this.#projector.edited(toolUseId, fieldsOf(input));
  }

  refused(toolUseId: string): void {
    this.#projector.refused(toolUseId);
  }

  /** Ends a turn. `outcome` is the kind of its result; without a result, `error` is what ended it, and `message` describes it. */
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
    // The duration on the timeline, which differs from the CLI's own clock.
    const measured = durationMs === null ? {} : { durationMs };
    if (outcome !== null && result?.kind === 'result' && result.turn === turn)
      this.#put({ ...result, cost, ...measured });
    this.timeline.price(turn, costsByModel(end.cost));
    this.timeline.end(turn, kind, cost, at);
    this.#counts.turns += 1;
    this.spent(end.cost, at, { durationMs, ok: outcome === 'completed' });
    this.change({ updatedAt: at }, { outcome: kind });
  }

  /** Ends a turn whose result is missing: transcripts have no results, and a recording may lack one. */
  endedWithoutResult(turn: string, kind: string, at: number, cost: CostInfo | null = null): void {
    this.#projector.noResult({ at, turn }, '', kind);
    this.timeline.end(turn, kind, cost, at);
    this.change({}, { outcome: kind });
  }

  /** Adds a cost to the totals. */
  spent(
    cost: TurnCost,
    at: number,
    turn: { durationMs: number | null; ok: boolean } = { durationMs: null, ok: true },
  ): void {
    // A fleet's list already has the total cost.
    if (this.source.kind !== 'fleet') this.costs.add(costInfo(cost));
    const byModel = costsByModel(cost);
    this.costs.addByModel(byModel);
    // The cost of a recording was spent earlier, perhaps by others; a fleet reports its own totals.
    if (this.source.kind === 'process') {
      const figures = { at, conversation: this.id, cost: costInfo(cost), project: this.#info.cwd };
      this.#shared.aggregates.add({ ...figures, byModel, byTool: this.#shares.take(figures.cost), ...turn });
      this.#shared.journal.note({ what: 'event', id: null, event: { type: 'stats-changed' } });
    }
    this.#changed();
  }

  /** Ends the conversation: its process has exited. */
  ended(life: 'closed' | 'failed', at: number, error: string | null = null): void {
    this.tasks.closeAll(at);
    this.#projector.turnEnded(at, true);
    this.timeline.endAll(life === 'failed' ? 'no-result' : 'unfinished', at);
    this.#shared.approvals.dropOf(this.id, at);
    this.change(
      { updatedAt: at },
      { life, error, running: 0, queued: 0, parked: false, restarting: null, pausedUntil: null },
    );
  }

  /** Clears the transcript before it is read again from the beginning. */
  rewrite(): void {
    this.entries.clear();
    this.forkPoints.clear();
    this.#projector = this.#newProjector();
    this.costs.clearTotal();
    this.#noteRewritten();
  }

  /** Reads a long transcript without a journal note for each entry. */
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

  /** Adds an entry of the conversation it was forked from. */
  restore(entry: Entry): void {
    this.#put(entry);
  }

  /** Stores the full text of a cut and returns its URL. */
  storeFullText(text: string): string {
    return `api/conversations/${this.id}/parts/${this.entries.keepPart(text)}`;
  }

  /** Reads fields of the conversation, and spans, from a message. */
  #learn(message: Message, { at, turn }: Moment): void {
    const fields = fieldsOf(message);
    if (message.type === 'system') {
      const title = textIn(fields, 'title');
      if (fields.subtype === 'session_title_changed' && title !== null) this.#info = { ...this.#info, title };
      if (fields.subtype === 'init') this.#start(fields);
      return noteTaskReport(fields, this);
    }
    const [parent, model] = [textIn(fields, 'parent_tool_use_id'), textIn(fieldsOf(fields.message), 'model')];
    if (model !== null && parent === null && model !== '<synthetic>') this.#info = { ...this.#info, model };
    const { redact } = this;
    if (at !== null) this.spans.note(fields, { at, turn, parent, entry: this.entries.total, redact });
  }

  #start(init: Readonly<Record<string, unknown>>): void {
    const { cwd, model, sessionId } = this.#info;
    this.#info = {
      ...this.#info,
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
      storeFullText: (text) => this.storeFullText(text),
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
