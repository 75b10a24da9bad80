import fc from 'fast-check';
import { expect, it } from 'vitest';
import { branchName } from '../../src/workspace/branch-name.ts';
import { promptLine } from '../../src/workspace/prompt-line.ts';

it('[F-40] a plain key is the name of its branch, and any other key gets a hash', () => {
  expect(branchName('coxswain/', 'fix-login.2')).toBe('coxswain/fix-login.2');
  for (const key of ['Ann', 'a/b', 'a..b', 'x.lock', '-x', 'a b', 'é', '', 'a'.repeat(200), 'ann-0123456789abcdef'])
    expect(branchName('coxswain/', key)).toMatch(/^coxswain\/[a-z0-9][a-z0-9._-]{0,59}-[0-9a-f]{16}$/);
});

it('[F-40] two keys never share a branch, also where the case of letters does not count', () => {
  const key = fc.oneof(
    fc.string({ maxLength: 120 }),
    fc.string({ unit: fc.constantFrom('a', 'A', '-', '/', '.', '0'), maxLength: 12 }),
    // A key with the name that another key gets.
    fc.string({ maxLength: 8 }).map((other) => branchName('', other)),
  );
  fc.assert(
    fc.property(key, key, (one, other) => {
      const same = branchName('', one).toLowerCase() === branchName('', other).toLowerCase();
      expect(same).toBe(one === other);
    }),
  );
});

it('the first line of a prompt has no control characters and is shortened', () => {
  expect(promptLine('\n\n  Fix\t it\u001B[31m \nnow', 72)).toBe('Fix it[31m');
  expect(promptLine('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(promptLine([{ type: 'text', text: 'Look' }], 72)).toBe('Look');
  expect(promptLine([], 72)).toBe('');
});
