import { describe, expect, it } from 'vitest';
import { isObject } from '../src/is-object.ts';

describe('isObject', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])('accepts %j', (value) => {
    expect(isObject(value)).toBe(true);
  });

  it.each([[null], [undefined], [[]], ['{}'], [1], [() => {}]])('rejects %j', (value) => {
    expect(isObject(value)).toBe(false);
  });
});
