import type { Message, Outcome } from 'coxswain';
import { apiErrorMessage, assistantMessage, thinkingMessage, toolUseMessage } from '../../src/messages/assistant.ts';
import { textBlock } from '../../src/messages/blocks.ts';
import { outcomeResult } from '../../src/messages/outcome-result.ts';
import { partialMessages, streamEvent } from '../../src/messages/partials.ts';
import { rateLimitEvent, toolProgress } from '../../src/messages/progress.ts';
import { failedResult, resultMessage } from '../../src/messages/result.ts';
import {
  apiRetry,
  permissionDenied,
  systemInit,
  systemMessage,
  taskNotification,
  taskStarted,
} from '../../src/messages/system.ts';
import { refusedToolMessage, toolResultMessage, userMessage } from '../../src/messages/user.ts';

/** Every way a turn can end; the compiler reports a missing one. */
const outcomes: Readonly<Record<Outcome['kind'], true>> = {
  completed: true,
  'max-turns': true,
  budget: true,
  interrupted: true,
  'stopped-by-hook': true,
  deferred: true,
  'tool-unavailable': true,
  refused: true,
  'context-full': true,
  'no-such-session': true,
  auth: true,
  'rate-limit': true,
  'api-error': true,
  'structured-output': true,
  'execution-error': true,
  unknown: true,
};

export const outcomeKinds: readonly Outcome['kind'][] = Object.keys(outcomes) as Outcome['kind'][];

const date = toolUseMessage('Bash', { command: 'date' });

/** One message of every factory. */
export const everyMessage: readonly Message[] = [
  systemInit(),
  assistantMessage('Let me look.'),
  thinkingMessage('Hm.'),
  date,
  toolResultMessage(date, 'Sun'),
  toolResultMessage(date, 'no such command', { isError: true }),
  refusedToolMessage(date, 'Not on Sundays.'),
  refusedToolMessage(date, 'Not on Sundays.', { by: 'hook' }),
  refusedToolMessage(date, 'Not on Sundays.', { by: 'mode' }),
  userMessage('How is the weather?', { isReplay: true }),
  userMessage([textBlock('[Request interrupted by user]')]),
  apiErrorMessage(null),
  apiErrorMessage(401),
  apiErrorMessage(429),
  apiErrorMessage(500),
  apiRetry(),
  permissionDenied(date),
  taskStarted('Run the tests'),
  taskNotification('They pass.'),
  systemMessage('session_state_changed', { state: 'idle' }),
  systemMessage('model_refusal_no_fallback', {}),
  rateLimitEvent('rejected', { resetsAt: 1_800_000_000 }),
  toolProgress(date, 3),
  streamEvent({ type: 'ping' }),
  ...partialMessages(assistantMessage('One two.')),
  resultMessage('Sunny.'),
  failedResult('error_during_execution', ['One.', 'Two.']),
  ...outcomeKinds.filter((kind) => kind !== 'unknown').map((kind) => outcomeResult(kind)),
];
