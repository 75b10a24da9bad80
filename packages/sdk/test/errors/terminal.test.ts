import { describe, expect, it, vi } from 'vitest';
import { isTerminal } from '../../src/errors/base.ts';
import { samples } from './samples.ts';

describe('isTerminal', () => {
  it('[E-1] is false only for errors that concern a single line', () => {
    const goingOn = new Set(samples.filter(({ error }) => !isTerminal(error)).map(({ error }) => error.name));
    expect([...goingOn].sort()).toEqual(['JsonDecodeError', 'UnexpectedMessageError', 'Utf8DecodeError']);
  });

  it('[E-1] recognises errors of another copy of the package and treats other values as terminal', async () => {
    vi.resetModules();
    const copy = await import('../../src/errors/stream.ts');
    expect(isTerminal(new copy.JsonDecodeError('x'))).toBe(false);
    expect(isTerminal(new Error('json-decode'))).toBe(true);
    expect(isTerminal({ code: 'json-decode' })).toBe(true);
    expect(isTerminal(undefined)).toBe(true);
  });
});
