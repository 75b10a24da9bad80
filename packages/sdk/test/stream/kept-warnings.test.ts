import { describe, expect, it } from 'vitest';
import { KeptWarnings } from '../../src/stream/kept-warnings.ts';
import { warning } from '../../src/warnings/warning.ts';

describe('the warnings of a query', () => {
  it('[E-3] are kept completely if there are few', () => {
    const kept = new KeptWarnings();
    const few = Array.from({ length: 1_000 }, (_, nth) => warning('api-retry', `retry ${nth}`));
    for (const one of few) kept.add(one);
    expect(kept.list).toEqual(few);
  });

  it('[W-10] are the first and the newest of 328,000, with the number of missing ones', () => {
    const kept = new KeptWarnings();
    for (let nth = 0; nth < 328_000; nth++)
      kept.add(warning('undecodable-line', `line ${nth}`, { line: 'x'.repeat(100) }));
    const { list } = kept;
    expect(JSON.stringify(list).length).toBeLessThan(2.1 * 1024 * 1024);
    expect(list[0]?.message).toBe('line 0');
    expect(list.at(-1)?.message).toBe('line 327999');
    const missing = list.find(({ code }) => code === 'warnings-dropped');
    expect(missing?.context).toEqual({ dropped: 328_000 - (list.length - 1) });
    expect(list.indexOf(missing ?? expect.unreachable())).toBe(100);
  });

  it('[W-10] have a size limit; the newest is always kept', () => {
    const kept = new KeptWarnings();
    for (let nth = 0; nth < 50; nth++) {
      kept.add(warning('unexpected-message-after-result', `${nth}`, { rawJson: 'x'.repeat(3 * 1024 * 1024) }));
    }
    expect(kept.list.map(({ message }) => message.slice(0, 30))).toEqual(['49 warnings are missing here, ', '49']);
  });
});
