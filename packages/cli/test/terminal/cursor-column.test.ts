import { describe, expect, it } from 'vitest';
import { CursorColumn } from '../../src/terminal/cursor-column.ts';

describe('the column of the cursor', () => {
  it.each([
    ['abc', 3, true],
    ['abc\n', 0, true],
    ['0123456789', 10, false],
    ['0123456789ab', 2, true],
    ['a\tb', 9, true],
    ['日', 2, false],
    ['日\n', 0, true],
    ['012345678日', 2, false],
  ])('[L-2] after %j in ten columns is known, or marked as uncertain', (text, column, certain) => {
    const cursor = new CursorColumn();
    cursor.move(text, 10);
    expect([cursor.column, cursor.isCertain(10)]).toEqual([column, certain]);
  });
});
