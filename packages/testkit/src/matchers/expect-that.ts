import { AssertionError } from 'node:assert';
import { type CoxswainMatchers, coxswainMatchers } from './matchers.ts';
import type { ReceivedMessages, ReceivedRehearsals, ReceivedRequests, ReceivedRuns } from './received.ts';
import type { Verdict } from './verdict.ts';

/** Matchers and their negations. */
export type Expectations<Name extends keyof CoxswainMatchers> = Pick<CoxswainMatchers, Name> & {
  readonly not: Pick<CoxswainMatchers, Name>;
};

/** The matchers for messages. */
export type MessageExpectations = Expectations<
  | 'toHaveUsedTool'
  | 'toHaveAskedAbout'
  | 'toHaveRefusedTool'
  | 'toHaveRunTool'
  | 'toHaveSaid'
  | 'toHaveCompleted'
  | 'toHaveEndedWith'
  | 'toHaveToolResult'
>;

/** The matchers for the runs of a scripted agent. */
export type RunExpectations = Expectations<
  'toHaveRunTool' | 'toHaveRefusedTool' | 'toHaveBeenPrompted' | 'toHaveBeenStartedWith' | 'toHaveBeenToldByHook'
>;

/** The matchers for requests to a fake API. */
export type RequestExpectations = Expectations<
  'toHaveModel' | 'toHaveSystemPrompt' | 'toHaveOfferedTool' | 'toHaveToolResult' | 'toHaveBeenPrompted' | 'toHaveTurn'
>;

/** The matchers for rehearsals. */
export type RehearsalExpectations = Expectations<'toDecideAsRecorded' | 'toHaveChanged'>;

/**
 * The matchers for every test runner: `expectThat(runs()).toHaveRefusedTool('Bash', { command: /rm/ })`. A failing
 * matcher throws an AssertionError that shows the actual values.
 */
export function expectThat(runs: ReceivedRuns): RunExpectations;
export function expectThat(requests: ReceivedRequests): RequestExpectations;
export function expectThat(rehearsals: ReceivedRehearsals): RehearsalExpectations;
export function expectThat(messages: ReceivedMessages): MessageExpectations;
export function expectThat(received: unknown): Expectations<keyof CoxswainMatchers> {
  return { ...bound(received, true), not: bound(received, false) };
}

type Matcher = (received: unknown, ...args: unknown[]) => Verdict;
type Assertion = (...args: unknown[]) => void;

function bound(received: unknown, wanted: boolean): CoxswainMatchers {
  const entries = Object.entries(coxswainMatchers).map(([name, matcher]): [string, Assertion] => {
    const assertion: Assertion = (...args) => {
      // The types of the arguments were checked at the call of the matcher.
      const { pass, message, actual, expected } = (matcher as Matcher)(received, ...args);
      if (pass === wanted) return;
      throw new AssertionError({ message: message(), actual, expected, operator: name, stackStartFn: assertion });
    };
    return [name, assertion];
  });
  // Built from the object whose names the interface lists.
  return Object.fromEntries(entries) as Record<keyof CoxswainMatchers, Assertion>;
}
