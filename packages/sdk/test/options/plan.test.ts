import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildArgv } from '../../src/cli/argv.ts';
import { OptionsError } from '../../src/errors/options.ts';
import { defaultLimits } from '../../src/limits.ts';
import { buildEnv, secretsOf } from '../../src/options/environment.ts';
import { initializeFields } from '../../src/options/flag-table.ts';
import { optionChecks } from '../../src/options/table.ts';
import { host, planOf, rootHost } from './host.ts';

describe('planQuery', () => {
  it('[O-4] throws one OptionsError with every problem of every layer', () => {
    let thrown: unknown;
    try {
      planOf('', [{ model: 5 }, { maxTurns: 'x' }], host);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(OptionsError);
    expect((thrown as OptionsError).problems.map((problem) => problem.path)).toEqual(['prompt', 'model', 'maxTurns']);
    expect((thrown as OptionsError).message).toContain('- maxTurns: must be a whole number');
  });

  it("[O-8] returns every limit, with the caller's values over the defaults", () => {
    const { limits } = planOf('hi', [{ limits: { graceMs: 5 } }, { limits: { termMs: 6 } }], host);
    expect(limits).toEqual({ ...defaultLimits, graceMs: 5, termMs: 6 });
  });

  it('[O-8] refuses limits that do not exist or cannot be enforced', () => {
    const options = { limits: { hold: 1, graceMs: 2 ** 31, bufferBytes: 0, maxLineBytes: 1.5 } };
    expect(() => planOf('hi', [options], host)).toThrow(
      /hold: is not a known[\s\S]*graceMs: must[\s\S]*bufferBytes: must[\s\S]*maxLineBytes: must/,
    );
  });

  it('[O-4] uses copies of the checked options', () => {
    const given = { tools: ['Read'], mcpServers: { a: { command: 'x' } }, settings: { deep: { list: [1] } } };
    const { options } = planOf('hi', [given], host);
    expect(options).toMatchObject(given);
    given.tools.push('Bash');
    given.mcpServers.a.command = '\0';
    given.settings.deep.list.push(2);
    expect(options.tools).toEqual(['Read']);
    expect(options.mcpServers).toEqual({ a: { command: 'x' } });
    expect(options.settings).toEqual({ deep: { list: [1] } });
  });

  it('[O-4] does not copy callbacks, signal, logger and transport', () => {
    const given = { onEvent: () => {}, signal: new AbortController().signal, transport: () => ({}) };
    const { options } = planOf('hi', [given], host);
    expect(options.onEvent).toBe(given.onEvent);
    expect(options.signal).toBe(given.signal);
    expect(options.transport).toBe(given.transport);
  });

  it('[O-4] throws nothing but OptionsError for any input', () => {
    const names = Object.keys(optionChecks);
    const hostile = fc.constantFrom<unknown>(
      new Proxy({}, { ownKeys: () => ['x'], get: () => fail('get') }),
      new Proxy([], { get: () => fail('get') }),
      {
        get command() {
          return fail('command');
        },
      },
      new Map(),
      Symbol('s'),
      5n,
      () => fail('call'),
      { '~standard': { validate: null } },
      {
        '~standard': {
          version: 1,
          vendor: 'x',
          validate: () => fail('validate'),
          jsonSchema: { input: () => fail('input') },
        },
      },
      { type: 'http', url: 5 },
      { toJSON: () => fail('toJSON') },
    );
    const value = fc.oneof(fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true }), hostile);
    const plausible = fc.dictionary(
      fc.string(),
      fc.oneof(
        value,
        fc.record({ command: value, description: value, prompt: value, mcpServers: value }, { requiredKeys: [] }),
      ),
    );
    const options = fc.oneof(
      fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.oneof(value, plausible), { maxKeys: 8 }),
      value,
    );
    const prompt = fc.oneof(fc.constant('hi'), value);
    fc.assert(
      fc.property(prompt, fc.array(options, { maxLength: 3 }), fc.constantFrom(host, rootHost), (text, layers, on) => {
        try {
          const resolved = planOf(text, layers, on);
          buildArgv('query', resolved.options, on);
          buildArgv('session', resolved.options, on);
          JSON.stringify(initializeFields(resolved.options));
          void [...secretsOf(resolved.options, buildEnv(resolved.options, on))];
        } catch (error) {
          expect(error).toBeInstanceOf(OptionsError);
          expect((error as OptionsError).problems.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function fail(what: string): never {
  throw new Error(`${what} was called`);
}
