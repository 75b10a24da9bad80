import { describe, expect, it } from 'vitest';
import { suggest, unknownName } from '../src/unknown-name.ts';

const KNOWN = ['model', 'maxTurns', 'hooks', 'permissionMode'];

describe('suggest', () => {
  it.each([
    ['max_turns', 'maxTurns'],
    ['MaxTurns', 'maxTurns'],
    ['modle', 'model'],
    ['hook', 'hooks'],
    ['permisionMod', 'permissionMode'],
  ])('suggests for %s the name %s', (name, meant) => {
    expect(suggest(name, KNOWN)).toBe(meant);
  });

  it.each(['tools', 'm', 'somethingElse'])('suggests nothing for %s', (name) => {
    expect(suggest(name, KNOWN)).toBeUndefined();
  });
});

describe('unknownName', () => {
  it('asks whether a similar name was meant', () => {
    expect(unknownName('option', 'modle', KNOWN)).toBe('is not a known option. Did you mean model?');
  });

  it('lists the known names if there are few', () => {
    expect(unknownName('field', 'zzz', ['a', 'b'])).toBe('is not a known field; the known ones are a, b.');
    expect(unknownName('field', 'zzz', [...'abcdefghijklmno'])).toBe('is not a known field.');
  });
});
