import { startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { isolationOf } from '../../src/worker/isolation.ts';

describe('the isolation of a turn', () => {
  it('[F-50] is what the worker requires, with the files that its agent and its workspace add', () => {
    expect(isolationOf(undefined, undefined)).toEqual({});
    const none = { readable: [], writable: [] };
    expect(isolationOf('bubblewrap', undefined)).toEqual({ isolate: none });
    expect(isolationOf(undefined, 'bubblewrap', ['/copy'])).toEqual({ isolate: { ...none, readable: ['/copy'] } });
    const own = { readable: ['/data'], writable: ['/out'], program: '/agent/bwrap' };
    const required = { readable: ['/models'], writable: ['/cache'], program: '/usr/bin/bwrap' };
    expect(isolationOf(required, own, ['/copy'])).toEqual({
      isolate: {
        program: '/usr/bin/bwrap',
        readable: ['/models', '/data', '/copy'],
        writable: ['/cache', '/out'],
      },
    });
  });

  it('[F-50] has the network of the worker; without one, that of the agent', () => {
    const networkOf = (...[required, own]: Parameters<typeof isolationOf>): unknown => {
      const { isolate } = isolationOf(required, own);
      return typeof isolate === 'object' ? isolate.network : undefined;
    };
    const proxy = { proxy: '/run/proxy.sock' };
    expect(networkOf({ network: proxy }, { network: 'host' })).toEqual(proxy);
    expect(networkOf({ network: undefined }, { network: 'none' })).toBe('none');
    expect(networkOf('bubblewrap', { network: proxy })).toEqual(proxy);
    expect(networkOf({ network: 'none' }, 'bubblewrap')).toBe('none');
  });

  it.each([true, 'docker', 7, { readable: 7 }, { writeable: ['/a'] }])(
    '[F-50] keeps a wrong one of the agent (%j), which the SDK refuses',
    (wrong) => {
      // Agents may be written in JavaScript.
      const { isolate } = isolationOf('bubblewrap', wrong as never);
      if (typeof wrong === 'object') expect(isolate).toMatchObject('readable' in wrong ? { readable: [7] } : wrong);
      else expect(isolate).toBe(wrong);
    },
  );
});

describe('a worker that requires isolation', () => {
  const options = { database: 'postgres://nobody@127.0.0.1:9/none', agent: { options: () => ({}) } };

  it('[F-50] does not start without a working bubblewrap, and does not connect to the database', async () => {
    for (const program of ['/nowhere/bwrap', '/bin/false'])
      await expect(startWorker({ ...options, isolate: { program } })).rejects.toMatchObject({
        code: 'isolation-unavailable',
      });
  });

  it.each<[string, unknown, string]>([
    ['another program', 'docker', 'isolate'],
    ['a misspelt field', { writeable: [] }, 'isolate.writeable'],
    ['a relative path', { readable: ['data'] }, 'isolate.readable[0]'],
  ])('[F-50, F-16] refuses %s', async (_, isolate, field) => {
    await expect(startWorker({ ...options, isolate: isolate as never })).rejects.toMatchObject({
      code: 'fleet-input',
      field,
    });
  });
});
