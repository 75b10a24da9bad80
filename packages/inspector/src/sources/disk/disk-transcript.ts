import { stat } from 'node:fs/promises';
import { getSession, getSessionMessages, type TranscriptMessage } from 'coxswain/transcripts';
import type { CostInfo } from '../../api.ts';
import { minus, NO_COST } from '../../conversations/cost.ts';
import { isFailure, outcomeOfKind } from '../../conversations/outcome.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { attachmentsIn, contentText, fieldsOf, listIn, textIn } from '../../transcript/fields.ts';
import { type TurnEnding, turnEndings } from './turn-endings.ts';
import { isNotedEnd, statusAfter } from './turn-status.ts';

/** Longest time that reading a transcript blocks other work. */
const SLICE_MS = 10;

/** Reads the transcript of a conversation on disk into its record, each message once. */
export class DiskTranscript {
  readonly #record: ConversationRecord;
  readonly #id: string;
  readonly #place: { readonly configDir?: string };
  readonly #upTo: string | undefined;
  #reading: Promise<void> | undefined;
  /** Number of messages read, and the last of them. */
  #count = 0;
  #last: string | undefined;
  #turn: string | null = null;
  #turnAt = 0;
  /** The cost of the conversation when that turn began. */
  #costBefore: CostInfo = NO_COST;
  /** The status of that turn, see `statusAfter`. */
  #status = 'unfinished';
  /** Turns that the CLI itself ended, oldest first, while the transcript is read. */
  #endings: readonly TurnEnding[] = [];
  #seen = { mtimeMs: 0, size: 0 };

  /** `upTo`: the uuid of the last message that is read. */
  constructor(record: ConversationRecord, id: string, place: { readonly configDir?: string }, upTo?: string) {
    this.#record = record;
    this.#id = id;
    this.#place = place;
    this.#upTo = upTo;
  }

  /** Reads the whole transcript. Concurrent calls share one pass. */
  read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  isOlderThan(mtimeMs: number, size: number): boolean {
    return this.#seen.mtimeMs !== mtimeMs || this.#seen.size !== size;
  }

  /** Reads new messages; starts over if the earlier ones are no longer part of the conversation. */
  async readMore(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading;
    const offset = Math.max(0, this.#count - 1);
    await this.#look();
    const [last, ...more] = await this.#messages(offset);
    if (this.#count > 0 && last?.uuid !== this.#last) return this.read();
    for (const message of this.#count === 0 && last ? [last, ...more] : more) this.#take(message);
  }

  /** Marks the last turn as ended or running. `kind` is what ended it, if the source has more than its messages. */
  settle(hasEnded: boolean, kind: string | null = null): void {
    // The next message does not repeat it.
    if (kind !== null && isNotedEnd(kind)) this.#status = kind;
    if (this.#turn === null) return;
    if (hasEnded) this.#record.timeline.end(this.#turn, kind ?? this.#status, this.#cost(), this.#turnAt);
    else this.#record.timeline.started(this.#turn);
  }

  forget(): void {
    this.#count = 0;
    this.#last = undefined;
    this.#turn = null;
    this.#record.rewrite();
  }

  async #readAll(): Promise<void> {
    await this.#look();
    const all = await this.#messages(0);
    const end = this.#upTo === undefined ? -1 : all.findIndex(({ uuid }) => uuid === this.#upTo);
    const messages = end === -1 ? all : all.slice(0, end + 1);
    const { subagents, path } = await getSession(this.#id, this.#place);
    this.#endings = await turnEndings(path);
    const ofTool = new Map(
      subagents.flatMap(({ id, toolUseId }) => (toolUseId === undefined ? [] : [[toolUseId, id]])),
    );
    this.forget();
    await this.#record.quietly(async () => {
      let since = performance.now();
      for (const message of messages) {
        this.#take(message);
        for (const agentId of startedBy(message, ofTool)) await this.#takeSubagent(agentId);
        if (performance.now() - since < SLICE_MS) continue;
        await new Promise(setImmediate);
        since = performance.now();
      }
    });
    this.#count = messages.length;
    this.#endings = [];
  }

  async #takeSubagent(agentId: string): Promise<void> {
    const messages = await getSessionMessages(this.#id, { ...this.#place, agentId }).catch(() => []);
    for (const message of messages) {
      this.#record.message(message, { at: timeOf(message), turn: this.#turn });
      this.#record.costs.addTokensOf(message);
    }
  }

  #messages(offset: number): Promise<TranscriptMessage[]> {
    return getSessionMessages(this.#id, { ...this.#place, offset, beforeCompaction: true, sidechains: true });
  }

  async #look(): Promise<void> {
    const { path } = await getSession(this.#id, this.#place);
    const { mtimeMs, size } = await stat(path);
    this.#seen = { mtimeMs, size };
  }

  /** The cost of the last turn so far; `null` if its answers have no usage. */
  #cost(): CostInfo | null {
    const cost = minus(this.#record.costs.total, this.#costBefore);
    return cost.tokens.input + cost.tokens.output === 0 ? null : cost;
  }

  /** How the CLI ended the turn before a prompt, if the transcript has a note about it. */
  #endingBefore(at: number): string | null {
    return this.#endings.findLast((ending) => ending.at >= this.#turnAt && ending.at <= at)?.kind ?? null;
  }

  #take(message: TranscriptMessage): void {
    this.#count += 1;
    this.#last = message.uuid;
    const at = timeOf(message);
    const standing = statusAfter({ ...message });
    if (message.type === 'user' && standing === 'interrupted') {
      this.#record.note('interrupted', 'Interrupted', { at, turn: this.#turn });
      if (this.#turn !== null) this.#record.timeline.end(this.#turn, standing, this.#cost(), at ?? this.#turnAt);
      this.#turn = null;
    } else if (message.type === 'user' && isPrompt(message) && at !== null) {
      this.settle(true, this.#endingBefore(at));
      this.#turn = message.uuid;
      this.#costBefore = this.#record.costs.total;
      this.#record.prompt(message.message.content as string, { at, turn: message.uuid }, false);
    } else {
      this.#record.message(message, { at, turn: this.#turn });
      this.#record.costs.addTokensOf(message);
      if (standing !== undefined && this.#turn !== null && isFailure({ outcome: outcomeOfKind(standing) })) {
        this.#record.endedWithoutResult(this.#turn, standing, at ?? this.#turnAt, this.#cost());
        this.#turn = null;
      }
    }
    this.#status = standing ?? this.#status;
    this.#turnAt = at ?? this.#turnAt;
  }
}

/** A prompt of a person, not the result of a tool or a note of the CLI. */
function isPrompt(message: TranscriptMessage): boolean {
  const fields = fieldsOf(message);
  const { content } = fieldsOf(fields.message);
  if (fields.isSynthetic === true || fields.parent_tool_use_id != null) return false;
  if (listIn({ content }, 'content').some((block) => fieldsOf(block).type === 'tool_result')) return false;
  return contentText(content).trim() !== '' || attachmentsIn(content) > 0;
}

function startedBy(message: TranscriptMessage, ofTool: ReadonlyMap<string, string>): string[] {
  const { content } = fieldsOf(fieldsOf(message).message);
  return listIn({ content }, 'content').flatMap((block) => ofTool.get(textIn(fieldsOf(block), 'id') ?? '') ?? []);
}

function timeOf(message: TranscriptMessage): number | null {
  const at = Date.parse(textIn(fieldsOf(message), 'timestamp') ?? '');
  return Number.isNaN(at) ? null : at;
}
