import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/query/classify.ts';
import type { Message } from '../../src/wire/messages.ts';

/** A message from the wire, whatever its type. */
const wire = (value: unknown): Message => JSON.parse(JSON.stringify(value));

const SUBTYPES = [
  'init',
  'task_started',
  'task_notification',
  'task_updated',
  'background_tasks_changed',
  'session_state_changed',
  'api_retry',
];

describe('the classification of a message for the end of a run', () => {
  it.each([
    ['an answer', { type: 'assistant' }, { type: 'message' }],
    ['a suggestion', { type: 'prompt_suggestion' }, { type: 'message-after-result' }],
    ['an init', { type: 'system', subtype: 'init' }, { type: 'turn-started' }],
    ['a result', { type: 'result' }, { type: 'result', failed: false }],
    ['a failed result', { type: 'result', is_error: true }, { type: 'result', failed: true }],
    ['a task', { type: 'system', subtype: 'task_started', task_id: 't' }, { type: 'task-opened', id: 't' }],
    [
      'the end of a task',
      { type: 'system', subtype: 'task_notification', task_id: 't' },
      { type: 'task-closed', id: 't' },
    ],
    [
      'an update of a task, which precedes the result on 2.1.197',
      { type: 'system', subtype: 'task_updated', task_id: 't', patch: { status: 'completed' } },
      { type: 'message-after-result' },
    ],
    [
      'the list of tasks',
      { type: 'system', subtype: 'background_tasks_changed', tasks: [{ task_id: 'a' }, { id: 'b' }, 7, {}] },
      { type: 'tasks-listed', ids: ['a', 'b'] },
    ],
    [
      'idleness',
      { type: 'system', subtype: 'session_state_changed', state: 'idle' },
      { type: 'session-state', idle: true },
    ],
    ['a retry', { type: 'system', subtype: 'api_retry' }, { type: 'message' }],
    ['a subtype other than a string', { type: 'system', subtype: { toString: 1 } }, { type: 'message-after-result' }],
  ])('[Q-8] %s', (_, message, expected) => {
    expect(classify(wire(message))).toEqual(expected);
  });

  it('[Q-8, W-8, E-4] never throws, whatever the fields are', () => {
    const hostile = fc.oneof(fc.jsonValue(), fc.constant({ toString: 1 }));
    const message = fc.record({
      type: fc.oneof(fc.constantFrom('system', 'result', 'assistant'), fc.string()),
      subtype: fc.oneof(fc.constantFrom(...SUBTYPES), hostile),
      task_id: hostile,
      tasks: fc.oneof(fc.array(hostile), hostile),
      state: hostile,
      is_error: hostile,
    });
    fc.assert(
      fc.property(message, (value) => {
        expect(typeof classify(wire(value)).type).toBe('string');
      }),
      { numRuns: 2_000 },
    );
  });
});
