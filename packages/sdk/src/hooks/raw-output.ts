import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { abilitiesOf } from './abilities.ts';

const permissionDecisions: readonly unknown[] = ['allow', 'deny', 'ask', 'defer'];

/**
 * Passes on an answer in the CLI's own form, with the event's name in `hookSpecificOutput`: without it the CLI drops the
 * whole answer. Warns of what the CLI is known not to obey.
 */
export function checkRawOutput(
  event: string,
  output: JsonObject,
): { response: JsonObject; warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const suspect = (what: string): void => {
    warnings.push(warning('hook-output-suspect', `A hook of ${event} gave back ${what}.`, { event, output }));
  };
  const { hookSpecificOutput: specific, ...general } = output;

  if (event === 'PreToolUse' && output.continue === false && !denies(output)) {
    suspect('continue: false alone: the tool still runs, and only then the turn ends. Use deny() or stop()');
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
  return { response: { ...general, hookSpecificOutput: { ...specific, hookEventName: event } }, warnings };
}

function denies(output: JsonObject): boolean {
  if (output.decision === 'block') return true;
  return isJsonObject(output.hookSpecificOutput) && output.hookSpecificOutput.permissionDecision === 'deny';
}
