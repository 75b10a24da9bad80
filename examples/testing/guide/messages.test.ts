// #region handler
import { type Message, outcomeOf, toolUsesOf } from 'coxswain';

/** One line per thing worth a line in the log. */
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

test('a line for a call, none for a text, one for every end', () => {
  assert.equal(logLine(toolUseMessage('Bash', { command: 'date' })), 'calls Bash');
  assert.equal(logLine(assistantMessage('It is Sunday.')), undefined);
  assert.equal(logLine(outcomeResult('rate-limit')), 'ended: rate-limit');
});
// #endregion
