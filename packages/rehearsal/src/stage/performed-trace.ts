import { promptText } from '../scenario/from-entries.ts';
import {
  type CallDecider,
  type CallOutcome,
  callsOf,
  type Gap,
  type RecordedResult,
  type Scenario,
} from '../scenario/scenario.ts';
import { shownInput, shownText } from '../trace/shown-text.ts';
import type { CallTrace, HookTrace, RequestTrace, Trace } from '../trace/trace.ts';
import type { ModelSide } from './model-side.ts';
import type { Ask, HookCall, Observations } from './observed-agent.ts';
import { toNames } from './paths.ts';
import type { Stage } from './stage.ts';

/** What was observed while a scenario ran. */
export interface Performance {
  readonly scenario: Scenario;
  readonly stage: Stage;
  readonly outcomes: readonly string[];
  readonly results: Readonly<Record<string, RecordedResult>>;
  readonly model: Pick<ModelSide, 'made'>;
  readonly seen: Observations;
  readonly requests: readonly RequestTrace[];
  readonly warnings: readonly string[];
  readonly gaps: readonly Gap[];
  readonly name: (text: string) => string;
  readonly release: string | undefined;
}

/** The trace of a scenario that ran. */
export function performedTrace(performance: Performance): Trace {
  const { scenario, stage, outcomes, seen, requests, warnings, gaps, name, release } = performance;
  const left = new Set(gaps.flatMap(({ call }) => (call === undefined ? [] : [call])));
  return {
    scenario: scenario.name,
    stage: stage.name ?? stage.cli ?? 'today',
    ...(release === undefined ? {} : { release }),
    turns: scenario.turns.map(({ prompt }, index) => ({
      prompt: shownText(name(promptText(prompt))),
      outcome: outcomes[index] ?? 'not-sent',
    })),
    calls: callsOf(scenario)
      .filter(({ call }) => !left.has(call.id))
      .map(({ call, turn }) => ({
        id: call.id,
        ...(turn === undefined ? {} : { turn }),
        tool: call.name,
        input: shownInput(call, name),
        ...decisionOf(call.id, performance),
        hooks: hooksOf(
          seen.hooks.filter(({ toolUseId }) => toolUseId === call.id),
          name,
        ),
      })),
    requests,
    hooks: hooksOf(
      seen.hooks.filter(({ toolUseId }) => toolUseId === undefined),
      name,
    ),
    warnings: [...new Set(warnings)].sort(),
    gaps,
  };
}

/** The trace of a scenario as it was recorded: transcripts contain neither requests nor hooks. */
export function recordedTrace(scenario: Scenario): Trace {
  const folders = { workspace: '', home: '', recordedCwd: scenario.cwd, recordedHome: scenario.home };
  const name = (text: string): string => toNames(text, folders);
  return {
    scenario: scenario.name,
    stage: 'recording',
    ...(scenario.release === undefined ? {} : { release: scenario.release }),
    turns: scenario.turns.map(({ prompt }) => ({ prompt: shownText(name(promptText(prompt))) })),
    calls: callsOf(scenario).map(({ call, turn }) => ({
      id: call.id,
      ...(turn === undefined ? {} : { turn }),
      tool: call.name,
      input: shownInput(call, name),
      ...recordedDecision(scenario.results[call.id]),
    })),
    gaps: scenario.gaps,
  };
}

function recordedDecision(result: RecordedResult | undefined): Pick<CallTrace, 'outcome' | 'result'> {
  if (result === undefined) return { outcome: 'unreached' };
  return { outcome: result.outcome, ...(result.outcome === 'ran' ? resultOf(result) : {}) };
}

function decisionOf(
  id: string,
  { stage, results, model, seen, name }: Performance,
): Pick<CallTrace, 'outcome' | 'how' | 'reason' | 'result'> {
  const result = results[id];
  if (result === undefined || !model.made.has(id)) return { outcome: 'unreached' };
  const answer = seen.asks.find(({ toolUseId }) => toolUseId === id)?.answer;
  const hooks = seen.hooks.filter(({ toolUseId, event }) => toolUseId === id && DECIDING.has(event));
  const outcome = outcomeOf(result, answer, hooks);
  const how = howOf({ ...result, outcome }, answer !== undefined, hooks);
  const reason = outcome === 'ran' ? undefined : shownText(name(result.text));
  return {
    outcome,
    ...(how === undefined ? {} : { how }),
    ...(reason === undefined ? {} : { reason }),
    ...(outcome === 'ran' && stage.tools === 'real' ? resultOf(result) : {}),
  };
}

function resultOf({ isError }: RecordedResult): Pick<CallTrace, 'result'> {
  return { result: isError ? 'failed' : 'succeeded' };
}

// Older releases do not record that a callback refused a call.
function outcomeOf(
  { outcome, isError }: RecordedResult,
  answer: Ask['answer'] | undefined,
  hooks: readonly HookCall[],
): CallOutcome {
  const refused = answer === 'deny' || hooks.some(({ decision }) => DENIALS.has(decision));
  return outcome === 'ran' && isError && refused ? 'refused' : outcome;
}

function howOf(result: RecordedResult, asked: boolean, hooks: readonly HookCall[]): CallDecider | undefined {
  if (result.outcome === 'invalid' || result.outcome === 'missing') return undefined;
  if (asked) return 'asked';
  const wanted = result.outcome === 'ran' ? APPROVALS : DENIALS;
  if (hooks.some(({ decision }) => wanted.has(decision))) return 'hook';
  if (result.outcome === 'refused' && hooks.some(({ decision }) => decision === 'failed')) return 'hook';
  if (result.how === 'hook') return 'hook';
  if (result.outcome === 'refused' && NOBODY.test(result.text)) return 'nobody';
  return result.how === 'asked' ? 'nobody' : 'rule';
}

/** Hooks that can decide about a call before it runs. */
const DECIDING: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest']);
const APPROVALS: ReadonlySet<string> = new Set(['allow', 'approve']);
const DENIALS: ReadonlySet<string> = new Set(['deny', 'block', 'stopTurn']);

/** What the model reads if nobody could be asked. */
const NOBODY = /requires approval|haven't granted it|requested permissions/;

/** Hooks of one event run at the same time, so their order has no meaning. */
function hooksOf(calls: readonly HookCall[], name: (text: string) => string): HookTrace[] {
  return calls
    .map(({ event, decision, reason }) => ({
      event,
      decision,
      ...(reason === undefined ? {} : { reason: shownText(name(reason)) }),
    }))
    .filter(({ event }) => !TIMED.has(event));
}

/** Events whose number depends on timing. */
const TIMED: ReadonlySet<string> = new Set(['MessageDisplay', 'Notification']);
