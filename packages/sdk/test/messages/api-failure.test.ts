import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryDelayOf } from '../../src/messages/api-failure.ts';
import type { Message } from '../../src/wire/messages.ts';

/** A message from the wire, whatever its type. */
const wire = (value: unknown): Message => JSON.parse(JSON.stringify(value));

describe('retryDelayOf', () => {
  it.each([
    ['a delay', { type: 'system', subtype: 'api_retry', retry_delay_ms: 590.5 }, 590.5],
    ['a delay above an hour', { type: 'system', subtype: 'api_retry', retry_delay_ms: 1e12 }, 3_600_000],
    ['a negative delay', { type: 'system', subtype: 'api_retry', retry_delay_ms: -5 }, 0],
    [
      'an object that cannot become a number',
      { type: 'system', subtype: 'api_retry', retry_delay_ms: { toString: 1 } },
      0,
    ],
    ['none', { type: 'system', subtype: 'api_retry' }, 0],
    ['another message', { type: 'assistant', retry_delay_ms: 5 }, 0],
  ])('[Q-12] returns the delay of a retry, within bounds: %s', (_, message, expected) => {
    expect(retryDelayOf(wire(message))).toBe(expected);
  });

  it('[Q-12, E-4] returns a usable number for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (delay) => {
        const ms = retryDelayOf(wire({ type: 'system', subtype: 'api_retry', retry_delay_ms: delay }));
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(3_600_000);
      }),
    );
  });
});
