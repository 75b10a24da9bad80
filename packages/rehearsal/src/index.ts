export { type Bisection, type BisectOptions, bisect } from './bisect/bisect.ts';
export { type Condition, parseCondition } from './bisect/condition.ts';
export { type ProbedRequest, probeRelease } from './bisect/probe.ts';
export { diff } from './diff/diff.ts';
export { type Change, type Difference, describeDifference } from './diff/difference.ts';
export { asTest } from './prove/as-test.ts';
export { type Proof, type ProveOptions, prove } from './prove/prove.ts';
export type { Try, TryCall } from './prove/try.ts';
export { RehearsalError, type RehearsalProblem } from './rehearsal-error.ts';
export {
  type FailedRehearsal,
  type Rehearsal,
  type RehearseAllOptions,
  type RehearseOptions,
  rehearse,
  rehearseAll,
} from './rehearse.ts';
export { htmlReport } from './report/html.ts';
export { groupDifferences, leftOut, markdownReport } from './report/markdown.ts';
export { type ConversationPart, type ConversationSteps, stepsOf } from './report/steps.ts';
export { type Summary, summarize } from './report/summary.ts';
export { acceptDecisions } from './scenario/accept.ts';
export { fromCassette } from './scenario/from-cassette.ts';
export { type FleetTranscripts, fromFleet } from './scenario/from-fleet.ts';
export { fromScript, type ScriptOptions } from './scenario/from-script.ts';
export { fromText } from './scenario/from-text.ts';
export { fromSession, fromTranscript } from './scenario/from-transcript.ts';
export { readScenario, readScenarios, writeScenario } from './scenario/read-scenario.ts';
export type {
  CallDecider,
  CallOutcome,
  Gap,
  ModelReply,
  PromptBlock,
  RecordedCall,
  RecordedResult,
  ReplyBlock,
  Scenario,
  ScenarioAgent,
  ScenarioTurn,
} from './scenario/scenario.ts';
export type { TranscriptOptions } from './scenario/transcript-options.ts';
export { perform } from './stage/perform.ts';
export { recordedTrace } from './stage/performed-trace.ts';
export type { Stage } from './stage/stage.ts';
export type { CallTrace, HookTrace, RequestTrace, TextTrace, Trace, TurnTrace } from './trace/trace.ts';
