import { type Message, outcomeOf, type ResultMessage } from 'coxswain';
import type { AuditEntry, Cut, Entry, EntryHead, ResultEntry, ToolEntry } from '../api.ts';
import { bounded } from './bounded.ts';
import { cut, indented, SHOWN } from './cut.ts';
import { attachmentsIn, contentText, fieldsOf, listIn, numberIn, textIn } from './fields.ts';
import { KnownReports } from './known-reports.ts';
import { isInterruptNote, ShownActions } from './shown-actions.ts';
import { Streams } from './streams.ts';
import { systemLine } from './system-line.ts';
import { argumentOf, startsSubagent } from './tool-call.ts';
import { diffOf } from './tool-diff.ts';

/** The destination of a projector. */
export interface EntrySink {
  /** The number of the next entry. */
  readonly total: number;
  get(n: number): Entry | undefined;
  put(entry: Entry): void;
  /** Called when a streaming entry has more text; `put` follows when it is complete. */
  grown(n: number): void;
  /** Stores the full text of a cut and returns its URL. */
  storeFullText(text: string): string;
  redact(text: string): string;
}

/** The time and the turn of an event. */
export interface Moment {
  readonly at: number | null;
  readonly turn: string | null;
}

/** A warning or an error of the SDK. */
export interface Problem {
  readonly kind: 'warning' | 'error';
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly detail: unknown;
}

type Fields = Readonly<Record<string, unknown>>;
type Body<E> = E extends EntryHead ? Omit<E, keyof EntryHead> : never;

/** A tool call without a result so far. */
interface OpenTool {
  readonly entry: Entry & ToolEntry;
  readonly input: Fields;
  /** Its permission was denied. */
  readonly refused: boolean;
}

/** How the CLI begins the result of a call that the user refused. */
const REFUSED = "The user doesn't want to";

/** Turns the messages of one conversation into entries, each message once. */
export class Projector {
  /** The number of the newest result entry. */
  lastResult: number | undefined;
  readonly #sink: EntrySink;
  readonly #streams: Streams;
  readonly #open = new Map<string, OpenTool>();
  /** Nesting depth of a subagent's entries, by the tool use that started it. */
  readonly #depths = new Map<string, number>();
  /** When tool uses were asked for that have an open request, which may arrive before the transcript is read. */
  readonly #asking = new Map<string, number>();
  /** Prompts already shown, by the id or text with which the CLI may repeat them. */
  readonly #shown = new Set<string>();
  readonly #reports = new KnownReports();
  readonly #actions: ShownActions;

  constructor(sink: EntrySink) {
    this.#sink = sink;
    this.#actions = new ShownActions(sink);
    this.#streams = new Streams((n) => sink.grown(n));
  }

  /** The text so far of a streaming entry. The last word is withheld, because it may be the first half of a secret. */
  streamed(n: number): string | undefined {
    const text = this.#streams.textOf(n);
    return text === undefined ? undefined : this.#sink.redact(text.slice(0, Math.max(0, text.search(/\S{0,400}$/))));
  }

  prompt(content: unknown, moment: Moment, from: 'user' | 'steer' | 'cli' = 'user', by: string | null = null): number {
    if (moment.turn !== null && from === 'user') this.#note(moment.turn);
    if (from === 'steer') this.#note(contentText(content));
    const text = this.#cut(contentText(content), SHOWN.text);
    return this.#add(
      { ...moment, parent: null },
      { kind: 'prompt', text, attachments: attachmentsIn(content), from, by },
    );
  }

  /** Adds the content of a message, or completes an entry that an earlier message began. */
  message(message: Message, moment: Moment): void {
    const fields: Fields = { ...message };
    const parent = textIn(fields, 'parent_tool_use_id');
    const head = { ...moment, parent };
    switch (message.type) {
      case 'assistant':
        return this.#assistant(fields, head);
      case 'user':
        return this.#user(fields, head);
      case 'stream_event':
        return this.#streamed(fields, head);
      case 'result':
        this.lastResult = this.#result(message, head);
        return;
      case 'system':
        return this.#system(fields, head);
      case 'rate_limit_event':
        return this.#rateLimit(fieldsOf(fields.rate_limit_info), head);
      case 'conversation_reset':
        return this.system('conversation_reset', 'A new conversation begins', moment);
      default:
    }
  }

  system(subtype: string, text: string, moment: Moment, detail?: unknown): void {
    const more = detail === undefined ? null : this.#json(detail);
    this.#add({ ...moment, parent: null }, { kind: 'system', subtype, text: this.#sink.redact(text), detail: more });
  }

  problem({ kind, code, message, remedy, detail }: Problem, moment: Moment): void {
    const text = { code, message: this.#sink.redact(message), remedy, detail: this.#json(detail) };
    this.#add({ ...moment, parent: null }, { kind, ...text });
  }

  /** Adds an action from the page. */
  audit(audit: AuditEntry, turn: string | null): void {
    if (this.#actions.isShown(audit)) return;
    this.#add({ at: audit.at, turn, parent: null }, { kind: 'audit', audit });
  }

  /** Adds the end of a turn without a result. */
  noResult(moment: Moment, message: string, outcome = 'no-result'): void {
    const { by } = this.#actions.ended(true);
    const body = { kind: 'result', outcome, ok: false, by, cost: null, durationMs: null } as const;
    this.#add({ ...moment, parent: null }, { ...body, message: this.#sink.redact(message) });
  }

  /** Marks a tool call whose approval was requested or answered. Returns the number of its entry. */
  asking(toolUseId: string, asks: boolean, at: number): number | null {
    const since = this.#asking.get(toolUseId);
    if (asks) bounded(this.#asking, 1_000).set(toolUseId, at);
    else this.#asking.delete(toolUseId);
    const open = this.#open.get(toolUseId);
    if (!open) return null;
    const waited = asks || since === undefined ? 0 : Math.max(0, at - Math.max(since, open.entry.startedAt ?? since));
    this.#update(open, { state: asks ? 'asking' : 'running', waitedMs: open.entry.waitedMs + waited });
    return open.entry.n;
  }

  /** Records the input with which a tool call runs, if a person changed it. */
  edited(toolUseId: string, input: Fields): void {
    const open = this.#open.get(toolUseId);
    if (!open) return;
    const { name, input: asked } = open.entry;
    const changed = { argument: argumentOf(input, this.#sink.redact), diff: this.#diff(name, input, undefined) };
    const plan = this.#plan(name, input);
    this.#update({ ...open, input }, { ...changed, input: this.#json(input), asked, plan });
  }

  /** Marks a tool call whose permission was denied; its result will be an error. */
  refused(toolUseId: string): void {
    const open = this.#open.get(toolUseId);
    if (open) this.#open.set(toolUseId, { ...open, refused: true });
  }

  /** Closes what is open, except calls of background subagents, which outlive their turn. */
  turnEnded(at: number, isLast = false): void {
    const over = [...this.#open.values()].filter((open) => isLast || !this.#isInBackground(open));
    for (const open of over) this.#finish(open, { state: 'lost', endedAt: at });
    this.#settleStreams();
  }

  /** Whether the call that started the subagent already has its result. */
  #isInBackground({ entry: { parent } }: OpenTool): boolean {
    if (parent === null) return false;
    const starter = this.#open.get(parent);
    return starter === undefined || this.#isInBackground(starter);
  }

  #assistant(message: Fields, head: Head): void {
    const api = fieldsOf(message.message);
    const model = textIn(api, 'model');
    for (const value of listIn(api, 'content')) {
      const block = fieldsOf(value);
      const began = this.#streams.finish(head.parent, textIn(api, 'id'), textIn(block, 'type'));
      switch (block.type) {
        case 'text':
          this.#write(head, began, {
            kind: 'text',
            text: this.#cut(textIn(block, 'text') ?? '', SHOWN.text),
            model,
            streaming: false,
          });
          break;
        case 'thinking':
        case 'redacted_thinking': {
          const text = this.#cut(textIn(block, 'thinking') ?? '', SHOWN.detail);
          this.#write(head, began, {
            kind: 'thinking',
            text,
            streaming: false,
            durationMs: numberIn(message, 'thinking_duration_ms'),
          });
          break;
        }
        case 'tool_use':
        case 'server_tool_use':
        case 'mcp_tool_use':
          this.#tool(block, head);
          break;
        default:
          if (textIn(block, 'tool_use_id') !== null) this.#toolResult(block, undefined, head);
      }
    }
  }

  #tool(block: Fields, head: Head): void {
    const id = textIn(block, 'id') ?? '';
    const name = textIn(block, 'name') ?? '?';
    const input = fieldsOf(block.input);
    if (this.#open.has(id)) return;
    const subagent = startsSubagent(name)
      ? { type: textIn(input, 'subagent_type'), description: this.#redacted(textIn(input, 'description')) }
      : null;
    const entry: Entry & ToolEntry = {
      ...this.#head(head),
      kind: 'tool',
      id,
      name,
      argument: argumentOf(input, this.#sink.redact),
      input: this.#json(input),
      asked: null,
      plan: this.#plan(name, input),
      state: this.#asking.has(id) ? 'asking' : 'running',
      result: null,
      diff: this.#diff(name, input, undefined),
      subagent,
      startedAt: head.at,
      endedAt: null,
      durationMs: null,
      waitedMs: 0,
    };
    bounded(this.#depths, 5_000).set(id, entry.depth + 1);
    bounded(this.#open, 5_000).set(id, { entry, input, refused: false });
    this.#sink.put(entry);
  }

  #user(message: Fields, head: Head): void {
    const { content } = fieldsOf(message.message);
    const results = Array.isArray(content) ? content.map(fieldsOf).filter((block) => block.type === 'tool_result') : [];
    for (const block of results) this.#toolResult(block, message.tool_use_result, head);
    const others = Array.isArray(content) ? content.filter((block) => fieldsOf(block).type !== 'tool_result') : content;
    if (contentText(others).trim() === '') return;
    const uuid = textIn(message, 'uuid');
    // The CLI repeats prompts; a prompt that joined a running turn has its own id.
    if (uuid !== null && this.#shown.has(uuid)) return;
    if (message.isReplay === true && this.#shown.delete(contentText(others))) return;
    if (uuid !== null) this.#note(uuid);
    const text = this.#cut(contentText(others), SHOWN.text);
    const from = message.isReplay === true && head.parent === null ? 'user' : 'cli';
    if (from === 'cli' && isInterruptNote(contentText(others))) return;
    this.#add(head, { kind: 'prompt', text, attachments: attachmentsIn(others), from, by: null });
  }

  #toolResult(block: Fields, output: unknown, head: Head): void {
    const open = this.#open.get(textIn(block, 'tool_use_id') ?? '');
    if (!open) return;
    const text = contentText(block.content);
    const failed = block.is_error === true;
    const refused = open.refused || text.startsWith(REFUSED);
    const state = failed ? (refused ? 'refused' : 'failed') : 'ok';
    const diff = failed ? open.entry.diff : (this.#diff(open.entry.name, open.input, output) ?? open.entry.diff);
    this.#finish(open, { state, result: this.#cut(text, SHOWN.detail), diff, endedAt: head.at });
  }

  #streamed(message: Fields, head: Head): void {
    const event = fieldsOf(message.event);
    const step = this.#streams.take(head.parent, event);
    if (step === undefined) return;
    const n =
      step === 'text'
        ? this.#add(head, { kind: 'text', text: EMPTY, model: this.#streams.modelOf(head.parent), streaming: true })
        : this.#add(head, { kind: 'thinking', text: EMPTY, streaming: true, durationMs: null });
    this.#streams.began(head.parent, n);
  }

  #result(message: ResultMessage, head: Head): number {
    this.#settleStreams();
    const outcome = outcomeOf(message);
    const text = 'message' in outcome ? outcome.message : '';
    const { by, late } = this.#actions.ended(outcome.kind === 'interrupted');
    if (late) this.#add({ at: late.at, turn: head.turn, parent: null }, { kind: 'audit', audit: late });
    const result: ResultEntry = {
      kind: 'result',
      outcome: outcome.kind,
      ok: outcome.kind === 'completed',
      message: this.#sink.redact(text),
      by,
      cost: null,
      durationMs: numberIn({ ...message }, 'duration_ms'),
    };
    return this.#add(head, result);
  }

  #system(message: Fields, head: Head): void {
    if (message.subtype === 'permission_denied') this.refused(textIn(message, 'tool_use_id') ?? '');
    const text = systemLine(message, this.#sink.redact);
    if (text === undefined || this.#reports.isKnown(message, text, this.#sink.get(this.#sink.total - 1))) return;
    this.system(textIn(message, 'subtype') ?? 'system', text, head, message);
  }

  #rateLimit(info: Fields, head: Head): void {
    if (info.status === 'allowed') return;
    const until = numberIn(info, 'resetsAt');
    const when = until === null ? '' : ` until ${new Date(until * 1000).toISOString()}`;
    this.system(
      'rate_limit_event',
      `Rate limit ${textIn(info, 'rateLimitType') ?? ''}: ${String(info.status)}${when}`,
      head,
      info,
    );
  }

  /** Completes interrupted streams with the text so far. */
  #settleStreams(): void {
    for (const { n, text } of this.#streams.drop()) {
      const entry = this.#sink.get(n);
      if (entry?.kind !== 'text' && entry?.kind !== 'thinking') continue;
      this.#sink.put({ ...entry, text: this.#cut(text, SHOWN.text), streaming: false });
    }
  }

  #update(open: OpenTool, change: Partial<ToolEntry>): Entry & ToolEntry {
    const entry = { ...open.entry, ...change };
    this.#open.set(entry.id, { ...open, entry });
    this.#sink.put(entry);
    return entry;
  }

  #finish(open: OpenTool, change: Partial<ToolEntry>): void {
    const { startedAt, waitedMs } = open.entry;
    const endedAt = change.endedAt ?? null;
    const took = startedAt !== null && endedAt !== null ? Math.max(0, endedAt - startedAt - waitedMs) : null;
    this.#update(open, { ...change, durationMs: took });
    this.#open.delete(open.entry.id);
  }

  #write(head: Head, began: { readonly n: number } | undefined, body: Body<Entry>): void {
    if (began === undefined) this.#add(head, body);
    // The body belongs to one kind of entry.
    else this.#sink.put({ ...this.#head(head), n: began.n, ...body } as Entry);
  }

  #add(head: Head, body: Body<Entry>): number {
    const entry = { ...this.#head(head), ...body } as Entry;
    this.#sink.put(entry);
    return entry.n;
  }

  #head({ at, turn, parent }: Head): EntryHead {
    return { n: this.#sink.total, at, turn, parent, depth: parent === null ? 0 : (this.#depths.get(parent) ?? 1) };
  }

  #diff(tool: string, input: Fields, output: unknown): ToolEntry['diff'] {
    return diffOf({ tool, input, output }, this.#sink);
  }

  #plan(tool: string, input: Fields): Cut | null {
    const plan = tool === 'ExitPlanMode' ? textIn(input, 'plan') : null;
    return plan === null ? null : this.#cut(plan, SHOWN.text);
  }

  #json(value: unknown): Cut {
    return this.#cut(indented(value), SHOWN.detail);
  }

  #cut(text: string, limit: number): Cut {
    return cut(this.#sink.redact(text), limit, (whole) => this.#sink.storeFullText(whole));
  }

  #redacted(text: string | null): string | null {
    return text === null ? null : this.#sink.redact(text);
  }

  #note(uuid: string): void {
    bounded(this.#shown, 1_000).add(uuid);
  }
}

type Head = Moment & { readonly parent: string | null };

const EMPTY: Cut = { text: '', length: 0, more: null };
