import { readFileSync } from 'node:fs';
import { type DatabaseUnavailableError, FleetInputError, isFleetError, NotInFleetError } from '@coxswain/fleet';
import { TimeoutError } from 'coxswain/errors';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as errors from '../src/errors.ts';

const missing: unknown = new NotInFleetError('turn', '42');

describe('isFleetError', () => {
  it('[E-1] narrows to the errors of the fleet, and a code to the error with that code', () => {
    if (!isFleetError(missing, 'not-in-fleet')) return expect.unreachable();
    expectTypeOf(missing).toEqualTypeOf<NotInFleetError>();
    expect(missing.id).toBe('42');
    // @ts-expect-error A code that does not exist does not compile.
    expect(isFleetError(missing, 'not-in-flet')).toBe(false);
    expect(isFleetError(missing, 'fleet-closed')).toBe(false);
  });

  it('[E-1] switch (error.code) narrows to the fields of each', () => {
    const error: unknown = new FleetInputError('limit', 'is wrong.');
    if (!isFleetError(error)) return expect.unreachable();
    switch (error.code) {
      case 'database-unavailable':
        expectTypeOf(error).toEqualTypeOf<DatabaseUnavailableError>();
        return expect.unreachable();
      case 'fleet-input':
        return expect(error.field).toBe('limit');
      default:
        return expect.unreachable();
    }
  });

  it('[E-1] is false for other errors', () => {
    expect(isFleetError(new TimeoutError('timeoutMs', 5))).toBe(false);
    const lookalike = Object.assign(new Error('lookalike'), { name: 'NotInFleetError', code: 'not-in-fleet' });
    expect(isFleetError(lookalike, 'not-in-fleet')).toBe(false);
    expect(isFleetError(undefined)).toBe(false);
  });

  it('[E-1] every class has the name and the code that it declares', () => {
    const source = readFileSync(new URL('../src/errors.ts', import.meta.url), 'utf8');
    const classes = [...source.matchAll(/class (\w+) extends CoxswainError<'([\w-]+)'>[\s\S]*?super\(\s*'(\w+)'/g)];
    expect(classes.map(([, name]) => name).sort()).toEqual(Object.keys(errors).sort());
    for (const [, name = '', code, given] of classes) {
      expect(given).toBe(name);
      const words = name.replace(/Error$/, '').split(/(?<=[a-z])(?=[A-Z])/);
      expect(words.join('-').toLowerCase()).toBe(code);
    }
  });
});
