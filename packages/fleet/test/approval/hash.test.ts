import { requestHash } from 'coxswain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const asked = { toolName: 'Bash', input: { command: 'make', timeout: 5 }, toolUseId: 'toolu_1' };

describe('requestHash()', () => {
  it('[F-30] is SHA-256 over the canonical JSON of the tool, its input and the id of the call', () => {
    // printf '{"input":{"command":"make","timeout":5},"toolName":"Bash","toolUseId":"toolu_1"}' | sha256sum
    expect(requestHash(asked)).toBe('573528b2ff21f98942dac68ef846b6f388e919f54dbef15e417226ef3c826ec8');
  });

  it.each<[string, object]>([
    ['the tool', { toolName: 'Write' }],
    ['a value of the input', { input: { command: 'make', timeout: 6 } }],
    ['a field of the input', { input: { command: 'make', timeout: 5, run_in_background: true } }],
    ['the type of a value', { input: { command: 'make', timeout: '5' } }],
    ['the id of the call', { toolUseId: 'toolu_2' }],
    ['a missing id', { toolUseId: undefined }],
  ])('[F-30] differs if %s differs', (_what, change) => {
    expect(requestHash({ ...asked, ...change })).not.toBe(requestHash(asked));
  });

  it('[F-30] does not depend on the order of fields, or on storage as JSON', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).map(([name, field]) => [name, turned(field)] as const);
      return Object.fromEntries(entries.reverse());
    };
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const hash = requestHash({ ...asked, input });
        expect(requestHash({ ...asked, input: turned(input) })).toBe(hash);
        expect(requestHash(JSON.parse(JSON.stringify({ ...asked, input })))).toBe(hash);
      }),
    );
  });

  it('[F-30] two inputs have one hash only if their JSON is the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        if (JSON.stringify(a) === JSON.stringify(b)) return;
        const same = requestHash({ ...asked, input: a }) === requestHash({ ...asked, input: b });
        if (same) expect(JSON.parse(JSON.stringify(a))).toEqual(JSON.parse(JSON.stringify(b)));
      }),
    );
  });
});
