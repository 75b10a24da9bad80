import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../src/callbacks/permission-request.ts';
import { requestHash } from '../../src/park/parked-request.ts';

const input = fc.dictionary(fc.string(), fc.jsonValue());
const request = fc.record({
  toolName: fc.string({ minLength: 1 }).map(toolName),
  toolUseId: fc.string({ minLength: 1 }),
  input,
});

describe('requestHash', () => {
  it('[G-9] does not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(requestHash({ ...asked, input: reversed(asked.input) as object })).toBe(requestHash(asked));
      }),
    );
  });

  it('[G-9] does not change when the request is stored as JSON', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(requestHash(JSON.parse(JSON.stringify(asked)))).toBe(requestHash(asked));
      }),
    );
  });

  it('[G-9] depends only on the tool, the id of the call and the input', () => {
    fc.assert(
      fc.property(request, request, (one, other) => {
        expect(requestHash({ ...one, ...{ title: 'Run it', id: 'p1' } })).toBe(requestHash(one));
        for (const name of ['toolName', 'toolUseId', 'input'] as const) {
          const changed = { ...one, [name]: other[name] };
          expect(requestHash(changed) === requestHash(one)).toBe(same(other[name], one[name]));
        }
      }),
    );
  });

  it('[G-9] changes with every change of a value', () => {
    fc.assert(
      fc.property(request, fc.string(), fc.jsonValue(), (asked, key, value) => {
        const before = Object.hasOwn(asked.input, key) ? [asked.input[key]] : [];
        const changed = Object.fromEntries([...Object.entries(asked.input), [key, value]]);
        expect(requestHash({ ...asked, input: changed }) === requestHash(asked)).toBe(same(before, [value]));
      }),
    );
  });

  it('[G-9] is the same if half characters were replaced, as some releases do when they resume a conversation', () => {
    const hashOf = (command: string): string => requestHash({ toolName: 'Bash', input: { command } });
    expect(hashOf('cut \ud83d')).toBe(hashOf('cut \ufffd'));
    expect(hashOf('whole \ud83d\ude00')).not.toBe(hashOf('whole \ufffd\ufffd'));
    expect(hashOf('\\ud83d')).not.toBe(hashOf('\ufffd'));
  });

  it('[G-9] distinguishes all values that JSON distinguishes: lists and objects, numbers and texts, a key __proto__', () => {
    const inputs = ['{}', '{"a":[]}', '{"a":{}}', '{"a":1}', '{"a":"1"}', '{"a":null}', '{"__proto__":{"a":1}}'];
    const lists = ['{"a":[1,2]}', '{"a":[2,1]}', '{"a":{"0":1,"1":2}}', '{"a":[[1],2]}'];
    const hashes = [...inputs, ...lists].map((text) => {
      return requestHash({ toolName: 'Bash', toolUseId: 't', input: JSON.parse(text) });
    });
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(requestHash({ toolName: 'Bash', input: {} })).not.toBe(hashes[0]);
  });
});

/** Any text may be the name of a tool. */
function toolName(text: string): PermissionRequest['toolName'] {
  return text as PermissionRequest['toolName'];
}

/** The same data with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, found]) => [key, reversed(found)]),
  );
}

/** True if two values are the same JSON, apart from the order of keys. */
function same(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  try {
    expect(plain(one)).toStrictEqual(plain(other));
    return true;
  } catch {
    return false;
  }
}
