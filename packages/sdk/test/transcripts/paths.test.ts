import { describe, expect, it } from 'vitest';
import { projectFolderName } from '../../src/cli/folders.ts';
import { isSessionId } from '../../src/wire/session-id.ts';

/** Folder names used by 2.1.325 and 2.1.197. */
const MEASURED: readonly [cwd: string, name: string][] = [
  ['/tmp/cox/a.b_c d', '-tmp-cox-a-b-c-d'],
  ['/tmp/cox-40PZN1/ünï日本😀x', '-tmp-cox-40PZN1--n-----x'],
  ['/tmp/cox-40PZN1/e\u0301comb', '-tmp-cox-40PZN1-e-comb'],
  ['/tmp/cox-40PZN1/UPPER-Case', '-tmp-cox-40PZN1-UPPER-Case'],
  [`/tmp/cox-40PZN1/${'n'.repeat(184)}`, `-tmp-cox-40PZN1-${'n'.repeat(184)}`],
  [`/tmp/cox-40PZN1/${'n'.repeat(185)}`, `-tmp-cox-40PZN1-${'n'.repeat(184)}-he5ru8`],
  [`/tmp/cox-EP81jQ/${'n'.repeat(185)}`, `-tmp-cox-EP81jQ-${'n'.repeat(184)}-6t6632`],
  [
    `/tmp/cox-40PZN1/${'q'.repeat(150)}/${'r'.repeat(30)}/${'日本'.repeat(30)}`,
    `-tmp-cox-40PZN1-${'q'.repeat(150)}-${'r'.repeat(30)}----q7510w`,
  ],
];

describe('the folder of a project', () => {
  it.each(MEASURED)('[D-1] of %s has the same name as in the CLI', (cwd, name) => {
    expect(projectFolderName(cwd)).toBe(name);
  });
});

describe('the id of a session', () => {
  it.each(['', '..', '../../x', 'agent-1', `${'1'.repeat(8)}-1111-4111-8111-${'1'.repeat(12)}/..`, 'C:\\x', 'a\0b'])(
    '[D-1] is not %j',
    (text) => {
      expect(isSessionId(text)).toBe(false);
    },
  );

  it('[D-1] is accepted if it is a UUID', () => {
    expect(isSessionId('11111111-1111-4111-8111-111111111111')).toBe(true);
  });
});
