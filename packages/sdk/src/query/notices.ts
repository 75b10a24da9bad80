import type { CoxswainError } from '../errors/base.ts';
import type { ExitReport } from '../process/transport.ts';
import { plainError } from '../report/redacted.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';

/** The warnings a one-shot run can give, in words. */
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
