import type { CoxswainError } from '../errors/base.ts';
import { LimitNews, retryWarning } from '../messages/api-failure.ts';
import { type ToolRules, unknownTools } from '../options/unknown-tools.ts';
import type { ExitReport } from '../process/transport.ts';
import { plainError } from '../report/redacted.ts';
import { CapabilityRecord } from '../session/capabilities.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isUnknownMessage, type Message, type SystemMessage } from '../wire/messages.ts';

/** The warnings of a query. */
export const notices = {
  unknownType: (type: string): Warning =>
    warning(
      'unknown-message-type',
      `The CLI sent a message of the unknown type ${JSON.stringify(type)}; it is passed on as it is.`,
      { type },
    ),
  badLineAfterResult: (error: CoxswainError): Warning =>
    warning('bad-line-after-result', error.message, { error: plainError(error) }),
  lateMessage: (message: Message, rawJson: string): Warning =>
    warning('unexpected-message-after-result', 'A message came after the run was over.', { message, rawJson }),
  outputAfterEnd: (count: number): Warning =>
    warning('output-after-end', `The CLI sent ${count} messages after the run was over.`, { count }),
  tasksAbandoned: (waitedMs: number, tasks: Iterable<string>): Warning =>
    warning(
      'background-tasks-abandoned',
      `Background work was still open ${waitedMs} ms after the result (limits.backgroundWaitMs); it was ended.`,
      { tasks: [...tasks] },
    ),
  nonZeroExit: ({ exitCode, signal }: ExitReport): Warning =>
    warning(
      'non-zero-exit-after-result',
      `The CLI gave its result and then ${signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`}; the result counts.`,
      { exitCode, signal },
    ),
  cleanExit: (): Warning =>
    warning('clean-exit-no-result', 'The CLI exited with code 0 without a result; something may have interrupted it.', {
      exitCode: 0,
    }),
  emptyResponse: (): Warning =>
    warning('empty-response', 'The CLI exited with code 0 and printed nothing at all.', { exitCode: 0 }),
  incompleteLine: (line: string): Warning =>
    warning('incomplete-last-line', "The CLI's last line was cut off.", { line }),
  abandoned: (pid: number | undefined): Warning =>
    warning(
      'stream-abandoned',
      'A stream was dropped without being read to its end or closed; its process was ended.',
      { pid: pid ?? null },
    ),
};

/** Finds what is worth a warning in the messages of a one-shot run; a session does so itself. */
export class MessageNotices {
  readonly #rules: ToolRules;
  readonly #unknownTypes = new Set<string>();
  readonly #limits = new LimitNews();
  #toolsListed = false;

  constructor(rules: ToolRules) {
    this.#rules = rules;
  }

  of(message: Message): readonly Warning[] {
    this.#limits.note(message);
    if (message.type === 'system') return this.#ofSystem(message);
    if (message.type === 'result' || !isUnknownMessage(message) || this.#unknownTypes.has(message.type)) return [];
    this.#unknownTypes.add(message.type);
    return [notices.unknownType(message.type)];
  }

  /** The API is asked again, or the tools are listed for the first time. */
  #ofSystem(message: SystemMessage): readonly Warning[] {
    const retry = retryWarning(message);
    if (retry) return [retry];
    if (message.subtype !== 'init' || this.#toolsListed) return [];
    this.#toolsListed = true;
    const said = new CapabilityRecord();
    said.fromInit(message);
    return unknownTools(this.#rules, said.current);
  }
}
