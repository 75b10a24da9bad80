import type { CoxswainError } from '../errors/base.ts';
import { TooManyDecodeErrors, UnexpectedMessageError } from '../errors/decode.ts';
import { LimitNews } from '../messages/limit-news.ts';
import { retryWarning } from '../messages/retry-delay.ts';
import { type ToolRules, unknownTools } from '../permissions/unknown-tools.ts';
import type { Redactor } from '../redact.ts';
import { CapabilityRecord } from '../session/capabilities.ts';
import { redactedError } from '../stream/shown-error.ts';
import type { Warning } from '../warnings/warning.ts';
import { isUnknownMessage, type Message, type SystemMessage } from '../wire/messages.ts';
import { notices } from './notices.ts';

/** Remembers what was odd about the lines of a run, and what they said about limits. */
export class LineWatch {
  readonly #maxInARow: number;
  readonly #redact: Redactor;
  readonly #rules: ToolRules;
  readonly #unknownTypes = new Set<string>();
  #toolsListed = false;
  readonly #limits = new LimitNews();
  #inARow = 0;
  /** The last line that was not JSON, redacted. */
  lastNonJson: string | undefined;

  constructor(maxInARow: number, redact: Redactor, rules: ToolRules) {
    this.#maxInARow = maxInARow;
    this.#redact = redact;
    this.#rules = rules;
  }

  /** A message of a type that everybody knows has come. */
  usual(): void {
    this.#inARow = 0;
  }

  /** A message has come; the answer is what to say about it. */
  message(message: Message): readonly Warning[] {
    this.#inARow = 0;
    this.#limits.note(message);
    if (message.type === 'system') return this.#system(message);
    if (message.type === 'result') return [];
    if (!isUnknownMessage(message) || this.#unknownTypes.has(message.type)) return [];
    this.#unknownTypes.add(message.type);
    return [notices.unknownType(message.type)];
  }

  /** An API that is asked again, or the first list of the tools. */
  #system(message: SystemMessage): readonly Warning[] {
    const retry = retryWarning(message);
    if (retry) return [retry];
    if (message.subtype !== 'init' || this.#toolsListed) return [];
    this.#toolsListed = true;
    const said = new CapabilityRecord();
    said.fromInit(message);
    return unknownTools(this.#rules, said.current);
  }

  /** A line was not JSON, or was cut off; the answer is as much of it as may be shown. */
  nonJson(line: string): string {
    this.lastNonJson = this.#redact(line);
    return this.lastNonJson;
  }

  /** A line was no message; the answer is the terminal error when it was one too many. */
  undecodable(error: CoxswainError): TooManyDecodeErrors | undefined {
    if (error instanceof UnexpectedMessageError) return undefined;
    this.#inARow += 1;
    if (this.#inARow < this.#maxInARow) return undefined;
    // What ends a run is shown and logged everywhere; the errors before it keep their lines exactly.
    return new TooManyDecodeErrors(this.#inARow, redactedError(error, this.#redact));
  }
}
