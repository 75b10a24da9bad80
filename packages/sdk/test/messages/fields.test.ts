import { describe, expect, it } from 'vitest';
import { sessionIdOf } from '../../src/messages/fields.ts';
import { messagesOf, recordings } from './recordings.ts';
import { odd } from './samples.ts';

describe('sessionIdOf', () => {
  it('[M-4] finds the session of every recorded message', () => {
    const without = recordings.flatMap(messagesOf).filter((message) => sessionIdOf(message) === undefined);
    expect(without).toEqual([]);
  });

  it.each([[{ type: 'keep_alive' }], [{ type: 'user', session_id: '' }], [{ type: 'user', session_id: 7 }], [null]])(
    '[M-4] is undefined for %j',
    (value) => {
      expect(sessionIdOf(odd(value))).toBeUndefined();
    },
  );
});
