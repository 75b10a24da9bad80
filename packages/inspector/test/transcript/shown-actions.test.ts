import { describe, expect, it } from 'vitest';
import type { AuditEntry, Entry } from '../../src/api.ts';
import { ShownActions } from '../../src/transcript/shown-actions.ts';

const interrupt: AuditEntry = {
  ...{
    at: 5,
    by: 'ann',
    action: 'interrupt',
    conversation: 'p-1',
    approval: null,
    tool: null,
    detail: null,
    note: '',
    error: null,
  },
};
const head = { n: 0, at: 4, turn: 't', parent: null, depth: 0 };
const result: Entry = {
  ...{
    ...head,
    kind: 'result',
    outcome: 'interrupted',
    ok: false,
    message: '',
    by: null,
    cost: null,
    durationMs: null,
  },
};

function transcript(...entries: Entry[]): { readonly entries: Entry[]; readonly actions: ShownActions } {
  const actions = new ShownActions({
    get total() {
      return entries.length;
    },
    get: (n) => entries[n],
    put: (entry) => {
      entries[entry.n] = entry;
    },
  });
  return { entries, actions };
}

describe('an interrupt from the page', () => {
  it('[I-2] is shown by the end of its turn, whichever is reported first', () => {
    const first = transcript();
    expect(first.actions.isShown(interrupt)).toBe(true);
    expect(first.actions.ended(true)).toEqual({ by: 'ann', late: undefined });
    // The next turn is interrupted elsewhere and has no name.
    expect(first.actions.ended(true)).toEqual({ by: null, late: undefined });

    const late = transcript(result);
    expect(late.actions.isShown(interrupt)).toBe(true);
    expect(late.entries).toEqual([{ ...result, by: 'ann' }]);
    expect(late.actions.ended(true).by).toBe(null);
  });

  it('[I-2] is shown as a separate entry if it was too late for its turn or failed', () => {
    const { actions } = transcript({ ...result, outcome: 'completed' } as Entry);
    expect(actions.isShown({ ...interrupt, error: 'nothing runs' })).toBe(false);
    expect(actions.isShown(interrupt)).toBe(true);
    expect(actions.ended(false)).toEqual({ by: null, late: interrupt });
    expect(actions.isShown({ ...interrupt, action: 'rename' })).toBe(false);
  });
});
