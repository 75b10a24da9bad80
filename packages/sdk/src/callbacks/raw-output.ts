import { suggest } from '@coxswain/shared/unknown-name';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { abilitiesOf, type NewerDecision, SUPPORTED_SINCE } from './abilities.ts';
import { strayField } from './decision-fields.ts';
import { permissionUpdates, type UpdateTerms } from './permission-updates.ts';

/** The problem with a result in the CLI's own format. A guard must not fail open because of a misspelt field. */
export function rawProblem(
  event: string,
  result: JsonObject,
  updates: UpdateTerms,
  suggested?: unknown,
): string | undefined {
  const { decision } = result;
  if (decision !== undefined && decision !== 'block' && decision !== 'approve') {
    return `it has the unknown decision ${JSON.stringify(decision)}: ${RETURN}, or 'block' or 'approve' in the CLI's own format`;
  }
  const { hookSpecificOutput: specific } = result;
  const stray = guardProblem(event, result) ?? misspelt(result, GENERAL_FIELDS) ?? misspelt(specific, SPECIFIC_FIELDS);
  if (stray !== undefined) return stray;
  const answer = isJsonObject(specific) && isJsonObject(specific.decision) ? specific.decision : undefined;
  // Throws if the options do not let results change permissions.
  if (answer?.behavior === 'allow' && answer.updatedPermissions !== undefined)
    permissionUpdates(answer.updatedPermissions, updates, suggested);
  const permission = isJsonObject(specific) ? specific.permissionDecision : undefined;
  if (permission !== undefined && !PERMISSION_DECISIONS.includes(permission)) {
    return `it has the unknown permissionDecision ${JSON.stringify(permission)}, so the CLI would drop it: ${RETURN}`;
  }
  if (RAW_FIELDS.some((name) => result[name] !== undefined)) return undefined;
  return `its fields (${Object.keys(result).join(', ')}) are not those of a hook result: ${RETURN}`;
}

const RETURN = 'return deny(), allow() or another decision of the SDK';

/** Each has an effect on its own. */
const RAW_FIELDS = ['continue', 'suppressOutput', 'systemMessage', 'decision', 'hookSpecificOutput', 'async'];

const GENERAL_FIELDS = [...RAW_FIELDS, 'reason', 'stopReason', 'asyncTimeout', 'terminalSequence'];

/** The fields of `hookSpecificOutput` of guard events, as 2.1.325 reads them. A guard that is not listed has none. */
const GUARD_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'PreToolUse',
    ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext', 'permissionDisplay'],
  ],
  ['PermissionRequest', ['decision']],
  ['UserPromptSubmit', ['additionalContext', 'sessionTitle', 'suppressOriginalPrompt']],
  ['PreModelSwitch', ['permissionDecision', 'permissionDecisionReason']],
]);

const ANSWER_FIELDS = ['behavior', 'updatedInput', 'updatedPermissions', 'message', 'interrupt'];

/** The problem with a field of a guard's result that the CLI would ignore. */
function guardProblem(event: string, result: JsonObject): string | undefined {
  const known = GUARD_FIELDS.get(event) ?? [];
  if (!abilitiesOf(event).guard) return undefined;
  const { hookSpecificOutput: specific } = result;
  const { decision: answer } = isJsonObject(specific) ? specific : {};
  if (specific !== undefined && !isJsonObject(specific)) return `its hookSpecificOutput is not an object: ${RETURN}`;
  return (
    strayField(result, GENERAL_FIELDS) ??
    (isJsonObject(specific) ? strayField(specific, ['hookEventName', ...known]) : undefined) ??
    (isJsonObject(answer) ? strayField(answer, ANSWER_FIELDS) : undefined)
  );
}

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

/** The problem with a field that resembles a known one. Other unknown fields may belong to a newer CLI. */
function misspelt(fields: unknown, known: readonly string[]): string | undefined {
  if (!isJsonObject(fields)) return undefined;
  const slip = Object.keys(fields).find((name) => !known.includes(name) && suggest(name, known) !== undefined);
  return slip === undefined ? undefined : strayField({ [slip]: fields[slip] }, known);
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
  const suspect = (what: string): void => void warnings.push(suspectOutput(event, what, output));
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
  if (event === 'PostToolUse' && specific.updatedToolOutput !== undefined && ignores('PostToolUse:replaceOutput')) {
    const since = SUPPORTED_SINCE['PostToolUse:replaceOutput'];
    suspect(`updatedToolOutput, which a CLI before ${since} ignores; use replaceOutput()`);
  }
  return { response: { ...general, hookSpecificOutput: { ...specific, hookEventName: event } }, warnings };
}

/** Whether a result in the CLI's own format refuses something. */
export function denies(output: JsonObject): boolean {
  const { hookSpecificOutput: specific, decision } = output;
  if (decision === 'block') return true;
  if (!isJsonObject(specific)) return false;
  return (
    specific.permissionDecision === 'deny' || (isJsonObject(specific.decision) && specific.decision.behavior === 'deny')
  );
}

/** Warns about a result that the CLI ignores in part. */
export function suspectOutput(event: string, what: string, output: JsonObject): Warning {
  return warning('hook-output-suspect', `A ${event} hook returned ${what.replace(/\.$/, '')}.`, { event, output });
}
