import { describe, expect, it } from 'vitest';
import { isolationIn } from '../../src/options/isolate.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { host, planOf } from './host.ts';

const linux = { ...host, platform: 'linux' };
const needed = { isolate: 'bubblewrap', configDir: '/tenants/ann', inheritEnv: false };
const plan = (options: object, on = linux) => planOf('hi', [options], on);

describe('isolate', () => {
  it('[C-14] is the default isolation, or an object', () => {
    expect(isolationIn({ isolate: 'bubblewrap' })).toEqual({});
    expect(isolationIn({ isolate: { network: 'none' } })).toEqual({ network: 'none' });
    expect(isolationIn({})).toBeUndefined();
  });

  it.each([
    ['a configuration directory', { ...needed }],
    ['CLAUDE_CONFIG_DIR', { ...needed, configDir: undefined, env: { CLAUDE_CONFIG_DIR: '/tenants/ann' } }],
    ['a store', { ...needed, configDir: undefined, sessionStore: memoryStore(), storeOnly: true }],
    ['names of variables', { ...needed, inheritEnv: ['PATH'] }],
  ])('[C-14] accepts %s', (_, options) => {
    expect(() => plan(options)).not.toThrow();
  });

  it.each<[string, object, RegExp]>([
    ['an unknown name', { ...needed, isolate: 'docker' }, /isolate: must be one of 'bubblewrap'/],
    ['true', { ...needed, isolate: true }, /isolate: must be/],
    ['a misspelt field', { ...needed, isolate: { writeable: ['/a'] } }, /isolate\.writeable: .*writable/],
    [
      'a relative path',
      { ...needed, isolate: { readable: ['data'] } },
      /isolate\.readable\[0\]: must be an absolute path/,
    ],
    ['the root', { ...needed, isolate: { writable: ['/'] } }, /isolate\.writable\[0\]: must be an absolute path other/],
    ['an unknown network', { ...needed, isolate: { network: false } }, /isolate\.network: must be/],
    ['a network without a proxy', { ...needed, isolate: { network: {} } }, /isolate\.network\.proxy: is missing/],
    [
      'the address of a proxy',
      { ...needed, isolate: { network: { proxy: 'http://proxy:3128' } } },
      /isolate\.network\.proxy: must be an absolute path/,
    ],
    [
      'a misspelt proxy',
      { ...needed, isolate: { network: { proxy: '/run/p', hosts: [] } } },
      /isolate\.network\.hosts: .*proxy/,
    ],
    ['a transport', { ...needed, transport: () => undefined }, /isolate: cannot be combined with transport/],
    ['a spawn function', { ...needed, spawn: () => undefined }, /isolate: cannot be combined with spawn/],
    ['the directory of the user', { ...needed, configDir: undefined }, /isolate: needs a configuration directory/],
    [
      'a store beside the directory of the user',
      { ...needed, configDir: undefined, sessionStore: memoryStore() },
      /isolate: needs a configuration directory/,
    ],
    ['an environment that is inherited by default', { ...needed, inheritEnv: undefined }, /isolate: needs inheritEnv/],
  ])('[C-14, O-4] refuses %s', (_, options, problem) => {
    expect(() => plan(options)).toThrow(problem);
  });

  it('[C-15, O-5] without network causes a warning if a call replaces it implicitly', () => {
    const defaults = { ...needed, isolate: { network: 'none' } };
    const warningsOf = (options: object): unknown => planOf('hi', [options, defaults], linux).warnings;
    const lost = [{ code: 'guard-replaced', context: { option: 'isolate' } }];
    expect(warningsOf({ isolate: 'bubblewrap' })).toMatchObject(lost);
    expect(warningsOf({ isolate: { writable: ['/data'] } })).toMatchObject(lost);
    expect(warningsOf({ isolate: { network: 'host' } })).toEqual([]);
    expect(warningsOf({ model: 'opus' })).toEqual([]);
    const throughProxy = { ...needed, isolate: { network: { proxy: '/run/proxy.sock' } } };
    expect(planOf('hi', [{ isolate: 'bubblewrap' }, throughProxy], linux).warnings).toMatchObject(lost);
  });

  it('[C-14] needs a configuration directory whose name is not empty', () => {
    const options = { ...needed, configDir: undefined, env: { CLAUDE_CONFIG_DIR: '' } };
    expect(() => plan(options)).toThrow(/isolate: needs a configuration directory/);
  });

  it('[C-14] needs Linux', () => {
    expect(() => plan(needed, { ...host, platform: 'darwin' })).toThrow(/isolate: needs Linux/);
  });
});
