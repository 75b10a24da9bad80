import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UUID } from '../src/uuid.ts';

describe('UUID', () => {
  it('matches a UUID in either case, every time', () => {
    const id = randomUUID();
    expect([UUID.test(id), UUID.test(id), UUID.test(id.toUpperCase())]).toEqual([true, true, true]);
  });

  it.each(['', 'abc', ` ${randomUUID()}`, `${randomUUID()}\n`, `../${randomUUID()}`, randomUUID().replace('-', '')])(
    'does not match %j',
    (text) => {
      expect(UUID.test(text)).toBe(false);
    },
  );
});
