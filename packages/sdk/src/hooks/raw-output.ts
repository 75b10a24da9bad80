import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { abilitiesOf } from './abilities.ts';
import { type LateOutcome, OBEYED_SINCE } from './obeyed.ts';

const permissionDecisions: readonly unknown[] = ['allow', 'deny', 'ask', 'defer'];

/**
 * Passes on an answer in the CLI's own form, with the event's name in `hookSpecificOutput`: without it the CLI drops the
 * whole answer. Warns of what the CLI is known not to obey.
 */
export function checkRawOutput(
  event: string,
  output: JsonObject,
  lacks: ReadonlySet<LateOutcome>,
): { response: JsonObject; warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const suspect = (what: string): void => {
    warnings.push(warning('hook-output-suspect', `A hook of ${event} gave back ${what}.`, { event, output }));
  };
  const { hookSpecificOutput: specific, ...general } = output;

  if (event === 'PreToolUse' && output.continue === false && !denies(output)) {
    suspect('continue: false alone: the tool still runs, and only then the turn ends. Use deny() or stopTurn()');
  }
  if (general.decision !== undefined && general.decision !== 'block' && general.decision !== 'approve') {
    suspect(`an unknown decision, so the CLI drops the whole answer: use 'block' or 'approve'`);
  }
  if (specific === undefined) return { response: general, warnings };
  if (!isJsonObject(specific)) {
    suspect('a hookSpecificOutput that is no object; it was left out');
    return { response: general, warnings };
  }
  if (!abilitiesOf(event).specific)
    suspect(`a hookSpecificOutput, for which the CLI drops the whole answer to ${event}`);
  const { hookEventName: name, permissionDecision: decision } = specific;
  if (name !== undefined && name !== event) suspect(`a hookSpecificOutput for another event; it was sent for ${event}`);
  if (decision !== undefined && !permissionDecisions.includes(decision)) {
    suspect('an unknown permissionDecision, so the CLI drops the whole answer');
  }
  for (const [outcome, what] of lateIn(event, specific)) {
    if (lacks.has(outcome))
      suspect(`${what}, which a CLI before ${OBEYED_SINCE[outcome]} ignores; use the SDK's decisions`);
  }
  return { response: { ...general, hookSpecificOutput: { ...specific, hookEventName: event } }, warnings };
}

/** What there is in an answer that not every release obeys. */
function lateIn(event: string, specific: JsonObject): [LateOutcome, string][] {
  const found: [LateOutcome, string][] = [];
  const { permissionDecision: decision, updatedInput, additionalContext, updatedToolOutput } = specific;
  if (event === 'PreToolUse') {
    if (decision === 'ask' || decision === 'defer')
      found.push([`PreToolUse:${decision}`, `the decision '${decision}'`]);
    if (updatedInput !== undefined && decision !== 'deny') {
      found.push([decision === 'allow' ? 'PreToolUse:allow:updatedInput' : 'PreToolUse:modify', 'updatedInput']);
    }
    if (additionalContext !== undefined) found.push(['PreToolUse:context', 'additionalContext']);
  }
  if (event === 'PostToolUse' && updatedToolOutput !== undefined) {
    found.push(['PostToolUse:replaceOutput', 'updatedToolOutput']);
  }
  return found;
}

function denies(output: JsonObject): boolean {
  if (output.decision === 'block') return true;
  return isJsonObject(output.hookSpecificOutput) && output.hookSpecificOutput.permissionDecision === 'deny';
}
