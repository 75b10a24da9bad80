import type { RecordedRun } from '@coxswain/testkit';
import { type Message, outcomeOf, type ResultMessage } from 'coxswain';
import { costOfResult } from 'coxswain/observe';
import type { Frame, FramesPage } from '../../api.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { contentText, fieldsOf, textIn } from '../../transcript/fields.ts';

/** How many steps of a recording can be played, and how often streaming text makes one. */
const LIMITS = { frames: 50_000, growthMs: 100 };

type Entry = RecordedRun['entries'][number];

/** One run of a cassette, played into its record, with the steps to play it again. */
export class PlayedRun {
  readonly durationMs: number;
  readonly #frames: Frame[] = [];
  readonly #record: ConversationRecord;
  readonly #start: number;
  #at = 0;
  #grownAt = 0;
  #turn: string | null = null;
  #turns = 0;
  #lastResult: ResultMessage | undefined;

  constructor(record: ConversationRecord, run: RecordedRun) {
    this.#record = record;
    this.#start = Date.parse(run.header.recordedAt) || 0;
    this.durationMs = run.entries.at(-1)?.at ?? 0;
    record.onEntry = (entry, grown) => {
      if (this.#frames.length >= LIMITS.frames || (grown && this.#at - this.#grownAt < LIMITS.growthMs)) return;
      if (grown) this.#grownAt = this.#at;
      this.#frames.push({ atMs: this.#at, entry });
    };
    for (const entry of run.entries) this.#take(entry);
    this.#end(run);
    record.onEntry = undefined;
  }

  get frames(): number {
    return this.#frames.length;
  }

  page(from: number, limit: number): FramesPage {
    const frames = this.#frames.slice(Math.max(0, from), Math.max(0, from) + limit);
    return { frames, from: Math.max(0, from), total: this.frames, durationMs: this.durationMs };
  }

  /** A CLI exits with an error after a result that says why. Without one, or after a result that says nothing, it has failed. */
  #end({ entries }: RecordedRun): void {
    const at = this.#start + this.durationMs;
    const exit = entries.flatMap((entry) => (entry.dir === 'exit' ? [entry] : [])).at(-1);
    const { outcome } = this.#record.activity;
    const isExplained = this.#turn === null && outcome !== null && outcome !== 'completed';
    const failed = exit !== undefined && exit.exitCode !== 0 && exit.ended === 'by-itself' && !isExplained;
    if (this.#turn !== null) this.#record.endedWithoutResult(this.#turn, failed ? 'no-result' : 'unfinished', at);
    const problem = failed ? `exit ${exit.exitCode ?? exit.signal ?? '?'}` : null;
    this.#record.ended(failed ? 'failed' : 'closed', at, problem);
  }

  #take(entry: Entry): void {
    this.#at = entry.at;
    const at = this.#start + entry.at;
    if (entry.dir === 'in') this.#written(entry, at);
    else if (entry.dir === 'out') this.#read('frame' in entry ? entry.frame : {}, at);
    else if (entry.dir === 'err')
      this.#record.note('stderr', 'text' in entry ? entry.text : '', { at, turn: this.#turn });
    else if (entry.dir === 'signal')
      this.#record.note('signal', `The host sent ${entry.signal}`, { at, turn: this.#turn });
    else if (entry.dir === 'exit' && entry.exitCode !== 0) {
      this.#record.note('exit', `The CLI exited with ${entry.exitCode ?? entry.signal ?? '?'}`, {
        at,
        turn: this.#turn,
      });
    }
  }

  /** What the host wrote: prompts, and answers to permission requests. */
  #written(entry: Entry, at: number): void {
    const frame = 'frame' in entry ? fieldsOf(entry.frame) : {};
    if (frame.type === 'user') return this.#prompt(fieldsOf(frame.message).content, at, textIn(frame, 'uuid'));
    if ('text' in entry && entry.text.trim() !== '') return this.#prompt(entry.text, at, null);
    if (frame.type !== 'control_response') return;
    const response = fieldsOf(frame.response);
    const behavior = textIn(fieldsOf(response.response), 'behavior');
    if (behavior !== null)
      this.#record.note('permission', `Permission: ${behavior}`, { at, turn: this.#turn }, response);
  }

  /** A prompt while a turn runs joins it. */
  #prompt(content: unknown, at: number, uuid: string | null): void {
    const steers = this.#turn !== null;
    this.#turns += 1;
    this.#turn ??= uuid ?? `turn-${this.#turns}`;
    this.#record.prompt(contentText(content), { at, turn: this.#turn }, steers);
  }

  #read(frame: Readonly<Record<string, unknown>>, at: number): void {
    const moment = { at, turn: this.#turn };
    if (frame.type === 'control_request') {
      const request = fieldsOf(frame.request);
      if (request.subtype !== 'can_use_tool') return;
      return this.#record.note(
        'permission',
        `Permission asked for ${textIn(request, 'tool_name') ?? '?'}`,
        moment,
        request,
      );
    }
    if (typeof frame.type !== 'string' || frame.type.startsWith('control_')) return;
    // As on the wire: typed as measured, not checked.
    const message = frame as unknown as Message;
    this.#record.message(message, moment);
    if (message.type !== 'result') return;
    const cost = { ...costOfResult(message, this.#lastResult), byModel: {}, complete: true };
    this.#lastResult = message;
    this.#record.turnEnded(this.#turn ?? '', { outcome: outcomeOf(message).kind, cost, at, message: '' });
    this.#turn = null;
  }
}
