import { describe, expect, it } from 'vitest';
import { plain } from '../../src/render/paint.ts';
import { table } from '../../src/render/table.ts';

describe('a table', () => {
  it('[L-2] pads its columns and cuts the last one', () => {
    const rows = [
      ['1', '日本', 'a long path that does not fit'],
      ['22', 'b', 'short'],
    ];
    expect(table(['id', 'name', 'path'], rows, plain, 24)).toEqual([
      'id  name  path',
      '1   日本  a long path t…',
      '22  b     short',
    ]);
  });
});
