import { suggest } from '../suggest.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { abilitiesOf, type NewerDecision, SUPPORTED_SINCE } from './abilities.ts';

/** Why a result is not in the CLI's own format either. A guard must not fail open because of a misspelt field. */
export function rawProblem(result: JsonObject): string | undefined {
  const { decision } = result;
  if (decision !== undefined && decision !== 'block' && decision !== 'approve') {
    return `it has the unknown decision ${JSON.stringify(decision)}: ${RETURN}, or 'block' or 'approve' in the CLI's own format`;
  }
  const { hookSpecificOutput: specific } = result;
  const slip = misspelt(result, [...RAW_FIELDS, ...DETAIL_FIELDS]) ?? misspelt(specific, SPECIFIC_FIELDS);
  if (slip) return `it has the unknown field ${slip[0]}. Did you mean ${slip[1]}?`;
  const permission = isJsonObject(specific) ? specific.permissionDecision : undefined;
  if (permission !== undefined && !PERMISSION_DECISIONS.includes(permission)) {
    return `it has the unknown permissionDecision ${JSON.stringify(permission)}, so the CLI would drop it: ${RETURN}`;
  }
  if (RAW_FIELDS.some((name) => result[name] !== undefined)) return undefined;
  return `its fields (${Object.keys(result).join(', ')}) are not those of a hook result: ${RETURN}`;
}

const RETURN = 'return deny(), allow() or another decision of the SDK';

/** Each means something alone. */
const RAW_FIELDS = ['continue', 'suppressOutput', 'systemMessage', 'decision', 'hookSpecificOutput', 'async'];

/** They mean something beside one of those. */
const DETAIL_FIELDS = ['reason', 'stopReason', 'asyncTimeout'];

/** The fields of `hookSpecificOutput` that decide something. */
const SPECIFIC_FIELDS = [
  'hookEventName',
  'permissionDecision',
  'permissionDecisionReason',
  'updatedInput',
  'updatedToolOutput',
  'additionalContext',
  'decision',
  'action',
];

const PERMISSION_DECISIONS: readonly unknown[] = ['allow', 'deny', 'ask', 'defer'];

/** A field that is not known but resembles a known one, with that one. Other unknown fields may be those of a newer CLI. */
function misspelt(fields: unknown, known: readonly string[]): [name: string, meant: string] | undefined {
  if (!isJsonObject(fields)) return undefined;
  for (const name of Object.keys(fields)) {
    const meant = known.includes(name) ? undefined : suggest(name, known);
    if (meant) return [name, meant];
  }
  return undefined;
}

/**
 * Checks a hook result in the CLI's own format. The response is the result with the event's name in `hookSpecificOutput`,
 * because the CLI drops a result without it. Warns about fields the CLI is known to ignore.
 */
export function checkRawOutput(
  event: string,
  output: JsonObject,
  ignores: (decision: NewerDecision) => boolean,
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
  const { hookEventName: name } = specific;
  if (name !== undefined && name !== event) suspect(`a hookSpecificOutput for another event; it was sent for ${event}`);
  for (const [newer, what] of newerDecisionsIn(event, specific)) {
    if (!ignores(newer)) continue;
    suspect(`${what}, which a CLI before ${SUPPORTED_SINCE[newer]} ignores; use the decisions of the SDK`);
  }
  return { response: { ...general, hookSpecificOutput: { ...specific, hookEventName: event } }, warnings };
}

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
