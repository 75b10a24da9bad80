// #region handler
import { type Message, outcomeOf, toolUsesOf } from 'coxswain';

/** The log line for a message, if it deserves one. */
export function logLine(message: Message): string | undefined {
  if (message.type === 'assistant')
    return (
      toolUsesOf(message)
        .map(({ name }) => `calls ${name}`)
        .join(', ') || undefined
    );
  if (message.type === 'result') return `ended: ${outcomeOf(message).kind}`;
  return undefined;
}

// #endregion

// #region test
import assert from 'node:assert/strict';
import test from 'node:test';
import { assistantMessage, outcomeResult, toolUseMessage } from '@coxswain/testkit';

test('logs tool calls and results, but not text', () => {
  assert.equal(logLine(toolUseMessage('Bash', { command: 'date' })), 'calls Bash');
  assert.equal(logLine(assistantMessage('It is Sunday.')), undefined);
  assert.equal(logLine(outcomeResult('rate-limit')), 'ended: rate-limit');
});
// #endregion
