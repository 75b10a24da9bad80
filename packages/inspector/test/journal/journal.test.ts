import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, Journal } from '../../src/journal/journal.ts';

const nameOf = (change: Change): string => JSON.stringify(change);

describe('the journal', () => {
  it('[I-1] a reader that reconnects at any time gets the newest change of everything it missed, or a signal to start again', () => {
    const change = fc.oneof(
      fc.record({ what: fc.constant('conversation' as const), id: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ what: fc.constant('entry' as const), id: fc.constantFrom('a', 'b'), n: fc.nat(5) }),
      fc.record({ what: fc.constant('growth' as const), id: fc.constantFrom('a', 'b'), n: fc.nat(5) }),
      fc.record({
        what: fc.constant('event' as const),
        id: fc.constant(null),
        event: fc.constant({ type: 'bye' as const }),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 200 }),
        fc.nat(200),
        fc.integer({ min: 1, max: 20 }),
        (changes, at, kept) => {
          const journal = new Journal(kept);
          let cursor = journal.cursorAt(0);
          const missed = new Set<string>();
          changes.forEach((change, index) => {
            if (index === at) cursor = journal.cursorAt(journal.seq);
            if (index === at) missed.clear();
            journal.note(change);
            missed.add(nameOf(change));
          });
          const position = journal.position(cursor);
          if (position === undefined) return;
          const seen = journal.after(position, 10_000) ?? [];
          expect(new Set(seen.map(({ change }) => nameOf(change)))).toEqual(missed);
          const numbers = seen.map(({ seq }) => seq);
          expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
        },
      ),
    );
  });

  it('[I-3] keeps a bounded number of changes, however many things change', () => {
    const journal = new Journal(100);
    const start = journal.cursorAt(journal.seq);
    for (let n = 0; n < 10_000; n += 1) journal.note({ what: 'entry', id: 'a', n });
    expect(journal.position(start)).toBeUndefined();
    const near = journal.cursorAt(journal.seq - 50);
    expect(journal.after(journal.position(near) ?? 0, 1_000)).toHaveLength(50);
    for (let times = 0; times < 10_000; times += 1) journal.note({ what: 'growth', id: 'a', n: 1 });
    expect(journal.after(journal.position(near) ?? -1, 1_000)).toHaveLength(51);
  });
});
