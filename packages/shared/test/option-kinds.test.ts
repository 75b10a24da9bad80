import { describe, expect, it } from 'vitest';
import {
  AMOUNT,
  COUNT,
  either,
  FLAG,
  type Kind,
  listOf,
  NAME,
  oneOf,
  problemsIn,
  TEXT,
  TEXTS,
} from '../src/option-kinds.ts';

const KINDS = { port: AMOUNT, disk: { ...either(FLAG, TEXT), within: {} } } satisfies Record<string, Kind>;

describe('problemsIn', () => {
  it('finds nothing in valid and undefined options', () => {
    expect(problemsIn({ port: 1, disk: true }, KINDS)).toEqual([]);
    expect(problemsIn({ port: undefined }, KINDS)).toEqual([]);
  });

  it('finds unknown options, including those that every object inherits', () => {
    expect(problemsIn({ prot: 1 }, KINDS)).toEqual([
      { path: 'prot', message: 'is not a known option. Did you mean port?' },
    ]);
    expect(problemsIn({ toString: 1 }, KINDS, { noun: 'field' })).toMatchObject([{ path: 'toString' }]);
  });

  it('finds options of the wrong kind, including nested ones', () => {
    const kinds = { otlp: { is: () => true, what: 'an object', within: { endpoint: TEXT } } };
    expect(problemsIn({ otlp: { endpoint: 1 } }, kinds, { before: 'telemetry.' })).toEqual([
      { path: 'telemetry.otlp.endpoint', message: 'must be a string.' },
    ]);
    expect(problemsIn({ otlp: true }, kinds)).toEqual([]);
  });
});

describe('kinds', () => {
  it.each<[string, Kind, unknown[], unknown[]]>([
    ['NAME', NAME, ['a'], ['', 1]],
    ['TEXTS', TEXTS, [[], ['a']], ['a', [1]]],
    ['AMOUNT', AMOUNT, [0, 0.5, Infinity], [-1, '1', Number.NaN]],
    ['COUNT', COUNT, [1], [0, 1.5, Infinity]],
    ['oneOf', oneOf('a', 'b'), ['a'], ['c', undefined]],
    ['listOf', listOf('a', 'b'), [[], ['b']], ['a', ['c']]],
  ])('%s accepts and rejects', (_name, { is }, right, wrong) => {
    expect(right.map(is)).toEqual(right.map(() => true));
    expect(wrong.map(is)).toEqual(wrong.map(() => false));
  });

  it('name all accepted kinds', () => {
    expect(either(oneOf('a', 'b'), COUNT).what).toBe("'a' or 'b' or a whole number from 1");
  });
});
