import type { CallTrace, HookTrace, Trace } from '../trace/trace.ts';
import type { Change, Difference } from './difference.ts';
import { requestDifferences } from './request-differences.ts';

/** Compares two traces of one scenario by meaning. What only one side could observe is not compared. */
export function diff(before: Trace, after: Trace): readonly Difference[] {
  return [
    ...warningDifferences(before, after),
    ...requestDifferences(before.requests, after.requests),
    ...turnDifferences(before, after),
    ...callDifferences(before, after),
    ...hookDifferences('hooks outside of calls', before.hooks, after.hooks),
  ];
}

/**
 * Calls of file tools that could not be decided, because the workspace lacks files of the recording: the CLI rejects them
 * before it requests a permission.
 */
export function undecided(before: Trace, after: Trace): readonly CallTrace[] {
  const earlier = new Map(before.calls.map((call) => [call.id, call]));
  return after.calls.filter((call) => isUndecided(earlier.get(call.id), call));
}

function isUndecided(before: CallTrace | undefined, after: CallTrace): boolean {
  if (before === undefined || before.how !== undefined || !NEEDS_FILES.has(after.tool)) return false;
  return before.outcome !== after.outcome && (before.outcome === 'invalid' || after.outcome === 'invalid');
}

const NEEDS_FILES: ReadonlySet<string> = new Set([
  'Read',
  'Edit',
  'MultiEdit',
  'Write',
  'NotebookEdit',
  'Glob',
  'Grep',
]);

function callDifferences(before: Trace, after: Trace): Difference[] {
  const later = new Map(after.calls.map((call) => [call.id, call]));
  const diverged = new Set<number | undefined>();
  return before.calls.flatMap((call) => {
    const now = later.get(call.id);
    // What was not rehearsed is in the gaps of the trace.
    if (now === undefined || isUndecided(call, now)) return [];
    const found = [...decisionDifference(call, now), ...resultDifference(call, now), ...inHooks(call, now)];
    const marked = diverged.has(call.turn) ? found.map((one) => ({ ...one, afterDivergence: true as const })) : found;
    if (call.outcome !== now.outcome && found.length > 0) diverged.add(call.turn);
    return marked;
  });
}

function decisionDifference(before: CallTrace, after: CallTrace): Difference[] {
  // The recording ended before this call had a result.
  if (before.outcome === 'unreached' && before.how === undefined && before.hooks === undefined) return [];
  const sameDecider = before.how === undefined || after.how === undefined || before.how === after.how;
  if (before.outcome === after.outcome && sameDecider) return [];
  return [
    {
      change: changeOf(before, after),
      ...placeOf(before),
      subject: subjectOf(before),
      before: stateOf(before),
      after: stateOf(after),
      ...(after.reason === undefined ? {} : { reason: after.reason }),
    },
  ];
}

function resultDifference(before: CallTrace, after: CallTrace): Difference[] {
  if (before.result === undefined || after.result === undefined || before.result === after.result) return [];
  const change = after.result === 'failed' ? 'now-fails' : 'now-succeeds';
  return [{ change, ...placeOf(before), subject: subjectOf(before), before: before.result, after: after.result }];
}

function changeOf(before: CallTrace, after: CallTrace): Change {
  if (before.outcome !== after.outcome) return BY_OUTCOME[after.outcome];
  if (after.how === 'asked' || after.how === 'nobody') return 'now-asked';
  return before.how === 'asked' || before.how === 'nobody' ? 'no-longer-asked' : 'decided-otherwise';
}

const BY_OUTCOME: Readonly<Record<CallTrace['outcome'], Change>> = {
  ran: 'now-runs',
  refused: 'now-refused',
  invalid: 'now-invalid',
  missing: 'now-missing',
  unreached: 'not-reached',
};

function stateOf({ outcome, how }: CallTrace): string {
  if (outcome === 'ran') return how === undefined ? 'ran' : RAN[how];
  if (outcome === 'refused') return how === undefined ? 'refused' : REFUSED[how];
  return { invalid: 'invalid input', missing: 'no such tool', unreached: 'not reached' }[outcome];
}

const RAN = {
  rule: 'allowed without asking',
  hook: 'allowed by a hook',
  asked: 'asked, then allowed',
  nobody: 'allowed',
} as const;

const REFUSED = {
  rule: 'refused by a rule or the mode',
  hook: 'refused by a hook',
  asked: 'asked, then refused',
  nobody: 'refused because nobody could be asked',
} as const;

// A changed decision explains the hooks of its call.
function inHooks(before: CallTrace, after: CallTrace): Difference[] {
  if (before.outcome !== after.outcome || before.how !== after.how) return [];
  return hookDifferences(subjectOf(before), before.hooks, after.hooks).map((one) => ({ ...one, ...placeOf(before) }));
}

/** Hooks that let an action continue are not compared: whether they exist changes nothing. */
function hookDifferences(
  subject: string,
  before: readonly HookTrace[] | undefined,
  after: readonly HookTrace[] | undefined,
): Difference[] {
  if (before === undefined || after === undefined) return [];
  const [was, is] = [decisionsOf(before), decisionsOf(after)];
  return was === is ? [] : [{ change: 'hook', subject, before: was, after: is }];
}

function decisionsOf(hooks: readonly HookTrace[]): string {
  const deciding = hooks.filter(({ decision }) => decision !== 'none');
  return (
    deciding
      .map(({ event, decision }) => `${event} ${decision}`)
      .sort()
      .join(', ') || 'no decision'
  );
}

function turnDifferences(before: Trace, after: Trace): Difference[] {
  return before.turns.flatMap(({ outcome }, index) => {
    const now = after.turns[index]?.outcome;
    if (outcome === undefined || now === undefined || outcome === now) return [];
    return [
      { change: 'turn-outcome' as const, turn: index + 1, subject: `turn ${index + 1}`, before: outcome, after: now },
    ];
  });
}

function warningDifferences(before: Trace, after: Trace): Difference[] {
  if (before.warnings === undefined || after.warnings === undefined) return [];
  // These follow from the decisions about calls, which are compared.
  const codes = (trace: Trace) => (trace.warnings ?? []).filter((code) => code !== 'permission-denied');
  const [was, is] = [codes(before), codes(after)];
  const one = (code: string, is: boolean): Difference => ({
    change: 'warning',
    subject: `warning ${code}`,
    before: is ? 'absent' : 'present',
    after: is ? 'present' : 'absent',
  });
  return [
    ...is.filter((code) => !was.includes(code)).map((code) => one(code, true)),
    ...was.filter((code) => !is.includes(code)).map((code) => one(code, false)),
  ];
}

/** `Bash(npm publish)` */
function subjectOf({ tool, input }: CallTrace): string {
  return input === '' ? tool : `${tool}(${input})`;
}

function placeOf({ id, turn }: CallTrace): Pick<Difference, 'turn' | 'call'> {
  return { call: id, ...(turn === undefined ? {} : { turn }) };
}
