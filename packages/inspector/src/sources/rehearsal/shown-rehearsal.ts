import type { Message, TurnCost } from 'coxswain';
import type { Frame, FramesPage } from '../../api.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { fieldsOf, listIn, numberIn, textIn } from '../../transcript/fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Between two steps of the replay, which have no times. */
const STEP_MS = 1_000;
const MOST_FRAMES = 20_000;

/** One rehearsed conversation as a transcript: its prompts and calls, with each difference at its step. */
export class ShownRehearsal {
  readonly #record: ConversationRecord;
  readonly #differences: readonly Fields[];
  readonly #frames: Frame[] = [];
  #at: number;

  constructor(record: ConversationRecord, result: Fields, at: number) {
    this.#record = record;
    this.#differences = listIn(result, 'differences').map(fieldsOf);
    // The newest are first in the list: those with the most differences.
    this.#at = at + this.#differences.length;
    record.onEntry = (entry) => {
      if (this.#frames.length < MOST_FRAMES) this.#frames.push({ atMs: this.#frames.length * STEP_MS, entry });
    };
    const name = textIn(result, 'scenario') ?? 'a conversation';
    const failure = textIn(result, 'failure');
    record.change({ title: titleOf(name, failure, this.#differences.length) });
    if (failure === null) this.#show(result);
    else this.#problem('error', 'rehearsal-failed', failure, '', null);
    record.ended(failure === null ? 'closed' : 'failed', this.#at, failure === null ? null : 'not rehearsed');
    record.onEntry = undefined;
  }

  page(from: number, limit: number): FramesPage {
    const total = this.#frames.length;
    const frames = this.#frames.slice(Math.max(0, from), Math.max(0, from) + limit);
    return { frames, from: Math.max(0, from), total, durationMs: total * STEP_MS };
  }

  #show(result: Fields): void {
    const [before, after] = [fieldsOf(result.before), fieldsOf(result.after)];
    this.#record.note('rehearsal', `${sideOf(before)} → ${sideOf(after)}`, this.#moment(null));
    this.#listed(({ turn, call }) => turn === undefined && call === undefined, null);
    const calls = listIn(after, 'calls').map(fieldsOf);
    listIn(after, 'turns').forEach((value, index) => {
      const turn = fieldsOf(value);
      const id = `turn-${index + 1}`;
      this.#record.prompt(textIn(turn, 'prompt') ?? '', { ...this.#moment(id), at: this.#at }, false);
      for (const call of calls.filter((one) => numberIn(one, 'turn') === index + 1)) this.#call(call, id);
      this.#listed((one) => numberIn(one, 'turn') === index + 1 && one.call === undefined, id);
      this.#end(id, textIn(turn, 'outcome') ?? 'completed');
    });
    for (const call of calls.filter(({ turn }) => turn === undefined)) this.#call(call, null);
    for (const gap of listIn(result, 'gaps').map(fieldsOf)) {
      this.#record.note('not-rehearsed', `Not rehearsed: ${textIn(gap, 'what') ?? ''}`, this.#moment(null), gap);
    }
  }

  #end(turn: string, outcome: string): void {
    if (outcome === 'completed') this.#record.turnEnded(turn, { outcome, cost: FREE, at: this.#at, message: '' });
    else this.#record.endedWithoutResult(turn, outcome, this.#at);
  }

  #call(call: Fields, turn: string | null): void {
    const id = textIn(call, 'id') ?? '';
    const name = textIn(call, 'tool') ?? 'a tool';
    const outcome = textIn(call, 'outcome') ?? '';
    // The trace has the subject of the input, on one line.
    const input = { [SUBJECTS[name] ?? 'input']: textIn(call, 'input') ?? '' };
    this.#message('assistant', { type: 'tool_use', id, name, input }, turn);
    const words = [STATES[outcome] ?? outcome, textIn(call, 'reason') ?? ''].filter((text) => text !== '').join('\n');
    if (outcome === 'refused') this.#record.refused(id);
    this.#message('user', { type: 'tool_result', tool_use_id: id, content: words, is_error: outcome !== 'ran' }, turn);
    this.#listed((one) => one.call === call.id, turn);
  }

  #listed(isMeant: (difference: Fields) => boolean, turn: string | null): void {
    for (const one of this.#differences.filter(isMeant)) {
      const text = `${textIn(one, 'subject')}: ${textIn(one, 'before')} → ${textIn(one, 'after')}`;
      const marked = one.afterDivergence === true ? `${text} (after an earlier difference of this turn)` : text;
      this.#problem('warning', textIn(one, 'change') ?? 'difference', marked, textIn(one, 'reason') ?? '', turn, one);
    }
  }

  #problem(
    kind: 'warning' | 'error',
    code: string,
    message: string,
    remedy: string,
    turn: string | null,
    detail?: Fields,
  ): void {
    this.#record.problem({ kind, code, message, remedy, detail: detail ?? {} }, this.#moment(turn));
  }

  #message(type: 'assistant' | 'user', block: Fields, turn: string | null): void {
    const message = { type, parent_tool_use_id: null, message: { role: type, content: [block] } };
    // Messages are read by observation, as on the wire.
    this.#record.message(message as unknown as Message, { at: null, turn });
  }

  #moment(turn: string | null): { readonly at: number; readonly turn: string | null } {
    return { at: this.#at, turn };
  }
}

/** A rehearsal asks no model. */
const FREE: TurnCost = {
  costUsd: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
  byModel: {},
  complete: true,
};

const SUBJECTS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  WebFetch: 'url',
};

const STATES: Readonly<Record<string, string>> = {
  ran: 'It would run.',
  refused: 'It would be refused.',
  invalid: 'Its input would be invalid.',
  missing: 'There would be no such tool.',
  unreached: 'It would not be reached.',
};

function titleOf(name: string, failure: string | null, differences: number): string {
  if (failure !== null) return `not rehearsed: ${name}`;
  if (differences === 0) return `no difference: ${name}`;
  return `${differences} ${differences === 1 ? 'difference' : 'differences'}: ${name}`;
}

function sideOf(trace: Fields): string {
  const [stage, release] = [textIn(trace, 'stage') ?? '?', textIn(trace, 'release')];
  return release === null || stage.includes(release) ? stage : `${stage} (${release})`;
}
