import { describe, expect, expectTypeOf, it } from 'vitest';
import { type AnyCoxswainError, isCoxswainError } from '../../src/errors/guard.ts';
import { TimeoutError } from '../../src/errors/stream.ts';

describe('isCoxswainError', () => {
  it('[E-1] narrows to the errors there are, so that a code gives the fields of its class', () => {
    const error: unknown = new TimeoutError('timeoutMs', 5);
    expect(isCoxswainError(new Error('foreign'))).toBe(false);
    if (!isCoxswainError(error)) return expect.unreachable();
    switch (error.code) {
      case 'process':
        expectTypeOf(error.exitCode).toEqualTypeOf<number | null>();
        return expect.unreachable();
      case 'timeout':
        expectTypeOf(error).toEqualTypeOf<TimeoutError>();
        return expect(error.ms).toBe(5);
      default:
        return expect.unreachable();
    }
  });

  it('[E-1] knows the code of every class as a literal', () => {
    expectTypeOf<string>().not.toExtend<AnyCoxswainError['code']>();
  });
});
