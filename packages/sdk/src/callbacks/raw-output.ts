import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { abilitiesOf, type NewerDecision, SUPPORTED_SINCE } from './abilities.ts';

/** Why a result is not in the CLI's own format either. A guard must not fail open because of a misspelt field. */
export function rawProblem(result: JsonObject): string | undefined {
  const { decision } = result;
  if (decision !== undefined && decision !== 'block' && decision !== 'approve') {
    return `it has the unknown decision ${JSON.stringify(decision)}: ${RETURN}, or 'block' or 'approve' in the CLI's own format`;
  }
  if (RAW_FIELDS.some((name) => result[name] !== undefined)) return undefined;
  return `its fields (${Object.keys(result).join(', ')}) are not those of a hook result: ${RETURN}`;
}

const RETURN = 'return deny(), allow() or another decision of the SDK';

/** Each means something alone; `reason`, `stopReason` and `asyncTimeout` do not. */
const RAW_FIELDS = ['continue', 'suppressOutput', 'systemMessage', 'decision', 'hookSpecificOutput', 'async'];

/**
 * Checks a hook result in the CLI's own format. The response is the result with the event's name in `hookSpecificOutput`,
 * because the CLI drops a result without it. Warns about fields the CLI is known to ignore.
 */
export function checkRawOutput(
  event: string,
  output: JsonObject,
  unsupported: ReadonlySet<NewerDecision>,
): { response: JsonObject; warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const suspect = (what: string): void => {
    warnings.push(warning('hook-output-suspect', `A ${event} hook returned ${what}.`, { event, output }));
  };
  const { hookSpecificOutput: specific, ...general } = output;

  if (event === 'PreToolUse' && output.continue === false && !denies(output)) {
    suspect('continue: false alone: the tool still runs, and the turn ends only after it. Use deny() or stopTurn()');
  }
  if (specific === undefined) return { response: general, warnings };
  if (!isJsonObject(specific)) {
    suspect('a hookSpecificOutput that is not an object; it was left out');
    return { response: general, warnings };
  }
  if (!abilitiesOf(event).specific) suspect('a hookSpecificOutput, which makes the CLI drop the whole result');
  const { hookEventName: name, permissionDecision: decision } = specific;
  if (name !== undefined && name !== event) suspect(`a hookSpecificOutput for another event; it was sent for ${event}`);
  if (decision !== undefined && !PERMISSION_DECISIONS.includes(decision)) {
    suspect('an unknown permissionDecision, so the CLI drops the whole result');
  }
  for (const [newer, what] of newerDecisionsIn(event, specific)) {
    if (!unsupported.has(newer)) continue;
    suspect(`${what}, which a CLI before ${SUPPORTED_SINCE[newer]} ignores; use the decisions of the SDK`);
  }
  return { response: { ...general, hookSpecificOutput: { ...specific, hookEventName: event } }, warnings };
}

const PERMISSION_DECISIONS: readonly unknown[] = ['allow', 'deny', 'ask', 'defer'];

/** The decisions in a result that older releases ignore, with a text for the warning. */
function newerDecisionsIn(event: string, specific: JsonObject): [NewerDecision, string][] {
  const found: [NewerDecision, string][] = [];
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
