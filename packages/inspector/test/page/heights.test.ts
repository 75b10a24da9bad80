import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heights } from '../../src/page/transcript/heights.ts';

const change = fc.oneof(
  fc.record({ do: fc.constant('push' as const), height: fc.integer({ min: 0, max: 500 }), row: fc.constant(0) }),
  fc.record({ do: fc.constant('set' as const), height: fc.integer({ min: 0, max: 500 }), row: fc.nat(4_000) }),
  fc.record({ do: fc.constant('truncate' as const), height: fc.constant(0), row: fc.nat(4_000) }),
);

it('[I-3] Heights returns the same sums as a plain list after any changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), fc.nat(3_000), (changes, start) => {
      const heights = new Heights();
      const plain: number[] = [];
      for (let row = 0; row < start; row++) {
        heights.push(40);
        plain.push(40);
      }
      for (const { do: what, height, row } of changes) {
        if (what === 'push') {
          heights.push(height);
          plain.push(height);
        } else if (what === 'truncate') {
          heights.truncate(row);
          plain.length = Math.min(plain.length, row);
        } else if (row < plain.length) {
          expect(heights.set(row, height)).toBe(height - (plain[row] ?? 0));
          plain[row] = height;
        }
      }
      expect(heights.size).toBe(plain.length);
      let offset = 0;
      for (const [row, height] of plain.entries()) {
        if (row % 37 === 0) expect(heights.offsetOf(row)).toBe(offset);
        if (height > 0 && row % 37 === 0) expect(heights.rowAt(offset)).toBe(row);
        offset += height;
      }
      expect(heights.total).toBe(offset);
    }),
    { numRuns: 60 },
  );
});
