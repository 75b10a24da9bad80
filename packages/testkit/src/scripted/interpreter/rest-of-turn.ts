import { isDeepStrictEqual } from 'node:util';
import type { Rule, Step, ToolCall } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import type { DeferredCall } from './deferred-call.ts';
import { fits, holdsInRun, useRule } from './rules.ts';

/** A call of the script, and the steps that follow it. */
export interface ScriptedCall {
  readonly call: ToolCall;
  readonly rest: readonly Step[];
}

/** The step of the script that made a deferred call; undefined if the script has none, as in another agent. */
export function scriptedCall(conversation: Conversation, deferred: DeferredCall): ScriptedCall | undefined {
  const found = conversation.script.rules.flatMap((rule) => {
    const calls = [...callsIn(rule.steps)].filter(({ call }) => isSame(call, deferred));
    const call = calls[deferred.count - 1] ?? calls.at(-1);
    return call ? [{ rule, ...call }] : [];
  });
  const here = found.filter(({ rule }) => holdsInRun(conversation, rule));
  const answers = ({ rule }: { readonly rule: Rule }): boolean => fits(rule, deferred.prompt);
  const best = here.find(answers) ?? here[0] ?? found.find(answers) ?? found[0];
  if (best) useRule(conversation, best.rule);
  return best;
}

function isSame(call: ToolCall, { name, input }: DeferredCall): boolean {
  return call.name === name && isDeepStrictEqual(call.input, input);
}

function* callsIn(steps: readonly Step[]): Generator<ScriptedCall> {
  for (const [index, step] of steps.entries()) {
    const rest = steps.slice(index + 1);
    if (step.step === 'tools') for (const call of step.calls) yield { call, rest };
    if (step.step === 'if-refused') yield* callsIn(step.steps);
  }
}
