import { describe, expect, it, vi } from 'vitest';
import { errorTable } from '../../src/errors/table.ts';
import { isTerminal } from '../../src/errors/terminal.ts';
import { samples } from './samples.ts';

describe('isTerminal', () => {
  it.each(samples.map(({ error }) => [error.name, error] as const))(
    '[E-1] says of %s what its row says',
    (name, error) => {
      expect(isTerminal(error)).toBe(errorTable[name]?.terminal);
    },
  );

  it('[E-1] is false exactly for the errors that spoil one line', () => {
    const goingOn = new Set(samples.filter(({ error }) => !isTerminal(error)).map(({ error }) => error.name));
    expect([...goingOn].sort()).toEqual(['JsonDecodeError', 'UnexpectedMessageError', 'Utf8DecodeError']);
  });

  it('[E-1] takes the errors of another copy of the package, and anything else for terminal', async () => {
    vi.resetModules();
    const copy = await import('../../src/errors/decode.ts');
    expect(isTerminal(new copy.JsonDecodeError('x'))).toBe(false);
    expect(isTerminal(new Error('json-decode'))).toBe(true);
    expect(isTerminal({ code: 'json-decode' })).toBe(true);
    expect(isTerminal(undefined)).toBe(true);
  });
});
