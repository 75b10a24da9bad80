import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, entryOf } from '../../src/transcripts/entry.ts';
import { resumedChain, wholeChain } from '../../src/transcripts/main-chain.ts';
import { objectIn } from '../../src/wire/kinds.ts';
import { assistant, boundary, type Line, lastPrompt, summary, toolResult, toolUse, user, uuid } from './disk.ts';

const BASE = [user(1, null, 'w1'), assistant(2, 1, 'w2')];
const KEPT = { anchorUuid: uuid(4), uuids: [uuid(7), uuid(8)] };
const SPAN = { headUuid: uuid(7), anchorUuid: uuid(4), tailUuid: uuid(8) };
const compacted = (metadata: object): Line[] => [
  ...[...BASE, user(7, 2, 'w7'), assistant(8, 7, 'w8')],
  ...[boundary(3, 8, metadata), summary(4, 3), user(5, 4, 'w5'), assistant(6, 5, 'w6')],
];

/** The messages that 2.1.325 and 2.1.197 sent to the API when they resumed these files; conformance/transcripts repeats it. */
const MEASURED: readonly [what: string, lines: Line[], chain: number[]][] = [
  ['one line of messages', [...BASE, user(3, 2, 'w3'), assistant(4, 3, 'w4')], [1, 2, 3, 4]],
  [
    'two branches, the later one in the file',
    [...BASE, user(3, 2, 'w3'), assistant(4, 3, 'w4'), user(5, 2, 'w5'), assistant(6, 5, 'w6')],
    [1, 2, 5, 6],
  ],
  [
    'two branches, the one whose end the CLI has recorded',
    [...BASE, user(3, 2, 'w3'), assistant(4, 3, 'w4'), user(5, 2, 'w5'), assistant(6, 5, 'w6'), lastPrompt(4)],
    [1, 2, 3, 4],
  ],
  ['messages after the recorded end', [...BASE, lastPrompt(2), user(3, 2, 'w3'), assistant(4, 3, 'w4')], [1, 2, 3, 4]],
  ['a recorded end that does not exist', [...BASE, user(3, 2, 'w3'), lastPrompt(99)], [1, 2, 3]],
  [
    'a circular chain',
    [user(1, 4, 'w1'), assistant(2, 1, 'w2'), user(3, 2, 'w3'), assistant(4, 3, 'w4')],
    [1, 2, 3, 4],
  ],
  ['a message whose parent is itself', [user(1, 1, 'w1'), assistant(2, 1, 'w2')], [1, 2]],
  [
    'a lost line, replaced by the line before it',
    [...BASE, '{"broken', assistant(4, 3, 'w4'), user(5, 4, 'w5')],
    [1, 2, 4, 5],
  ],
  ['broken lines', ['garbage', ...BASE, '[1]', '{"type":', user(3, 2, 'w3'), '{"parentUuid":"x'], [1, 2, 3]],
  ['a repeated uuid, whose last line counts', [...BASE, user(3, 2, 'old'), user(3, 2, 'w3')], [1, 2, 3]],
  ['a link of an unknown kind', [...BASE, { ...link(3, 2), type: 'zebra' }, user(4, 3, 'w4')], [1, 2, 3, 4]],
  [
    'progress on another branch, which is not an end',
    [...BASE, user(3, 2, 'w3'), { ...link(4, 1), type: 'progress' }],
    [1, 2, 3],
  ],
  [
    'parallel tool calls',
    [...BASE, toolUse(3, 2, 'a'), toolUse(4, 3, 'a'), toolResult(5, 3), toolResult(6, 4), assistant(7, 6, 'w7')],
    [1, 2, 3, 4, 5, 6, 7],
  ],
  [
    'parallel tool calls with results in the opposite order',
    [...BASE, toolUse(3, 2, 'a'), toolUse(4, 3, 'a'), toolResult(6, 4), toolResult(5, 3), assistant(7, 5, 'w7')],
    [1, 2, 3, 4, 6, 5, 7],
  ],
  ['a compaction', [...BASE, boundary(3, 2), summary(4, 3), user(5, 4, 'w5')], [3, 4, 5]],
  ['a compaction that kept messages', compacted({ preservedMessages: KEPT }), [3, 4, 7, 8, 5, 6]],
  ['a compaction that kept a span', compacted({ preservedSegment: SPAN }), [3, 4, 7, 8, 5, 6]],
  [
    'a compaction whose kept messages are followed directly',
    [
      ...BASE,
      boundary(3, 2, { preservedMessages: { anchorUuid: uuid(4), uuids: [uuid(2)] } }),
      summary(4, 3),
      user(5, 2, 'w5'),
    ],
    [3, 4, 2, 5],
  ],
  [
    'a compaction that kept missing messages',
    [
      ...BASE,
      boundary(3, 2, { preservedMessages: { anchorUuid: uuid(4), uuids: [uuid(77)] } }),
      summary(4, 3),
      user(5, 4, 'w5'),
    ],
    [3, 4, 5],
  ],
  [
    'two compactions',
    [...BASE, boundary(3, 2), summary(4, 3), user(5, 4, 'w5'), boundary(6, 5), summary(7, 6), user(8, 7, 'w8')],
    [6, 7, 8],
  ],
  [
    'a branch from before a compaction',
    [...compacted({ preservedMessages: KEPT }), user(11, 2, 'w11'), lastPrompt(11)],
    [3, 4, 7, 8, 11],
  ],
];

describe('the conversation in a transcript', () => {
  it.each(MEASURED)('[D-1] with %s is the one that the CLI resumes', (_what, lines, chain) => {
    expect(resumedChain(conversation(lines)).map(numberOf)).toEqual(chain);
  });

  it('[D-1] is empty without messages', () => {
    expect(resumedChain(conversation([]))).toEqual([]);
    expect(wholeChain(conversation(['garbage']))).toEqual([]);
  });

  it('[D-1] can include the entries removed by compactions, each message once', () => {
    expect(wholeChain(conversation(compacted({ preservedMessages: KEPT }))).map(numberOf)).toEqual([
      ...[1, 2],
      ...[3, 4, 7, 8, 5, 6],
    ]);
    const twice = [
      ...BASE,
      boundary(3, 2),
      summary(4, 3),
      user(5, 4, 'w5'),
      boundary(6, 5),
      summary(7, 6),
      user(8, 7, 'w8'),
    ];
    expect(wholeChain(conversation(twice)).map(numberOf)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('[D-1] contains no message twice, for any order of lines', () => {
    const reference = fc.option(fc.integer({ min: 0, max: 12 }), { nil: null });
    const line = fc.tuple(fc.integer({ min: 0, max: 12 }), reference, fc.constantFrom('u', 'a', 't', 'r', 'b', 'l'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (drafts) => {
        const lines = drafts.map(([n, parent, kind]): Line => {
          if (kind === 'u') return user(n, parent, `w${n}`);
          if (kind === 'a') return assistant(n, parent, `w${n}`);
          if (kind === 't') return toolUse(n, parent, `answer ${n % 3}`);
          if (kind === 'r') return toolResult(n, parent ?? 0);
          if (kind === 'l') return lastPrompt(n);
          return boundary(n, parent ?? 0, {
            preservedMessages: { anchorUuid: uuid(parent ?? 1), uuids: [uuid(n + 1)] },
          });
        });
        const { entries, lastLeaf } = conversation(lines);
        for (const resolve of [resumedChain, wholeChain]) {
          const chain = resolve({ entries, lastLeaf });
          expect(new Set(chain).size).toBe(chain.length);
          expect(chain.length > 0).toBe(entries.length > 0);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function conversation(lines: readonly Line[]): { entries: Entry[]; lastLeaf: string | undefined } {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const objects = texts.map((text) => ({ text, object: objectIn(text) }));
  const leaf = objects.findLast(({ object }) => object?.type === 'last-prompt')?.object?.leafUuid;
  return {
    entries: objects.flatMap(({ text, object }) => (object ? (entryOf(object, text) ?? []) : [])),
    lastLeaf: typeof leaf === 'string' ? leaf : undefined,
  };
}

function link(n: number, parent: number): object {
  return { parentUuid: uuid(parent), isSidechain: false, uuid: uuid(n) };
}

function numberOf({ uuid: id }: Entry): number {
  return Number(id.slice(-12));
}
