import { describe, expect, it } from 'vitest';
import { checkLateSettings } from '../../src/options/late-changes.ts';
import { requiresSandbox } from '../../src/options/sandbox.ts';
import { host, planOf } from './host.ts';

describe('a sandbox', () => {
  it('[C-13] is required when it is turned on, unless failIfUnavailable is false', () => {
    expect(requiresSandbox({ sandbox: { enabled: true } })).toBe(true);
    expect(requiresSandbox({ settings: { sandbox: { enabled: true } } })).toBe(true);
    expect(requiresSandbox({ settings: { sandbox: { enabled: true } }, sandbox: { network: {} } })).toBe(true);
    expect(requiresSandbox({ sandbox: { enabled: true, failIfUnavailable: false } })).toBe(false);
    expect(requiresSandbox({ sandbox: { enabled: false } })).toBe(false);
    expect(requiresSandbox({ settings: '/a/settings.json' })).toBe(false);
  });

  it.each<[string, object, RegExp]>([
    ['a misspelt field', { sandbox: { enable: true } }, /sandbox\.enable: .*enabled/],
    ['a text instead of true', { sandbox: { enabled: 'true' } }, /sandbox\.enabled: must be true or false/],
    ['the same in settings', { settings: { sandbox: { enabled: 1 } } }, /settings\.sandbox\.enabled: must be/],
    ['true instead of an object', { settings: { sandbox: true } }, /settings\.sandbox: must be an object/],
  ])('[C-13, O-4] that would stay off is refused: %s', (_, options, problem) => {
    expect(() => planOf('hi', [options], host)).toThrow(problem);
  });

  it('[C-13, O-5] of the defaults that a call replaces without mentioning it is a warning', () => {
    const defaults = { settings: { sandbox: { enabled: true } } };
    expect(planOf('hi', [{ settings: { model: 'opus' } }, defaults], host).warnings).toMatchObject([
      { code: 'guard-replaced', context: { option: 'settings' } },
    ]);
    expect(planOf('hi', [{ sandbox: { enabled: false } }, { sandbox: { enabled: true } }], host).warnings).toEqual([]);
    expect(planOf('hi', [{ model: 'opus' }, defaults], host).warnings).toEqual([]);
  });

  it('[C-13] cannot be turned on later, when the CLI no longer checks whether it works', () => {
    const on = { sandbox: { enabled: true } };
    expect(() => checkLateSettings({}, on)).toThrow(/settings\.sandbox\.enabled: cannot be turned on later/);
    expect(() => checkLateSettings({}, { sandbox: { enabled: true, failIfUnavailable: true } })).toThrow(/later/);
    expect(() => checkLateSettings({ sandbox: { enabled: true } }, on)).not.toThrow();
    expect(() => checkLateSettings({}, { sandbox: { enabled: true, failIfUnavailable: false } })).not.toThrow();
    expect(() => checkLateSettings({}, { sandbox: { enabled: false } })).not.toThrow();
    expect(() => checkLateSettings({}, { model: 'opus' })).not.toThrow();
  });
});
