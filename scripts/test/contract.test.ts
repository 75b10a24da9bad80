import { describe, expect, it } from 'vitest';
import { compare, rulesIn, rulesNamedIn } from '../docs/contract.mjs';

describe('rulesIn', () => {
  it('finds the rules of the document in order', () => {
    const markdown = '# Title\n- **Q-1** One.\n  - not **Q-9** this\n- **Q-10** Ten, see **E-1**.\n- **W-2** Two.';
    expect(rulesIn(markdown)).toEqual(['Q-1', 'Q-10', 'W-2']);
  });
});

// «X-1» stands for the id in brackets, so that the titles here do not count as tests of the real rules.
describe('rulesNamedIn', () => {
  it.each([
    ["it('«X-1» does it', () => {})", ['X-1']],
    ['it("«X-1, X-12» does it", () => {})', ['X-1', 'X-12']],
    ['test(`«X-1,X-2» does it`, () => {})', ['X-1', 'X-2']],
    ["it.each(rows)('«X-3» %s', () => {})", ['X-3']],
    ["it.each(rows)(\n    '«X-3» %s',\n    () => {})", ['X-3']],
    ["describe('«X-4» a group', () => {})", ['X-4']],
    ["it('does it «X-5»', () => {})", []],
    ["const text = '«X-6» is a rule'", []],
    ["it.skip('«X-7» not now', () => {})", []],
    ["it.todo('«X-8» not now')", []],
  ])('%s', (source, rules) => {
    expect(rulesNamedIn(source.replace('«', '[').replace('»', ']'))).toEqual(rules);
  });
});

describe('compare', () => {
  const rules = ['Q-1', 'Q-2', 'S-1'];

  it('reports the rules in scope that no test names, and ignores the others', () => {
    const result = compare(rules, new Map([['Q-1', ['a.test.ts']]]), ['Q']);
    expect(result).toEqual({ wanted: ['Q-1', 'Q-2'], missing: ['Q-2'], unknown: [], later: ['S'] });
  });

  it('finds ids that are not in the contract', () => {
    expect(compare(rules, new Map([['Q-3', ['a.test.ts']]]), ['Q']).unknown).toEqual(['Q-3']);
  });
});
