import { describe, expect, it } from 'vitest';
import { expectThat } from '../../src/matchers/expect-that.ts';
import type { ReceivedRehearsal } from '../../src/matchers/received.ts';

const same = { scenario: 'one', differences: [], gaps: [] };
const changed = {
  scenario: 'two',
  differences: [{ subject: 'Bash(npm publish)', before: 'ran', after: 'refused by a hook', reason: 'No.' }],
};

describe('the matchers for rehearsals', () => {
  it('[N-9] pass if every call is decided as recorded', () => {
    expectThat([same, same]).toDecideAsRecorded();
    expectThat(same).toDecideAsRecorded();
    expectThat([same, changed]).not.toDecideAsRecorded();
  });

  it('[N-9] name the conversation, the call and the reason', () => {
    expect(() => expectThat([same, changed]).toDecideAsRecorded()).toThrow(
      'Expected the calls to be decided as recorded.\n\nDifferences:\n  two: Bash(npm publish): ran → refused by a hook: No.',
    );
  });

  it('[N-9] fail if nothing was rehearsed, or a rehearsal failed', () => {
    const none: readonly ReceivedRehearsal[] = [];
    expect(() => expectThat(none).toDecideAsRecorded()).toThrow('Rehearsed conversations:\n  none');
    expect(() => expectThat([same, { scenario: 'x', failure: 'no CLI' }]).toDecideAsRecorded()).toThrow('x: no CLI');
  });

  it('[N-9] find a change by its subject and its new outcome', () => {
    expectThat(changed).toHaveChanged('npm publish', /hook/);
    expectThat(changed).not.toHaveChanged('npm publish', 'asked');
    expectThat(changed).not.toHaveChanged('npm test');
    expect(() => expectThat(changed).toHaveChanged(7 as never)).toThrow(/toHaveChanged/);
  });
});
