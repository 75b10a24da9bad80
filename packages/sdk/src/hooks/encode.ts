import { type Warning, warning } from '../warnings/warning.ts';
import { NO_ANSWER } from '../wire/control.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { abilitiesOf, isGuardEvent } from './abilities.ts';
import { type LateOutcome, OBEYED_SINCE } from './obeyed.ts';
import type { HookDecision } from './outcome.ts';
import { plainJson } from './plain-json.ts';
import { checkRawOutput } from './raw-output.ts';

/** What is known of the CLI and the request when a hook's result is encoded. */
export interface HookFacts {
  /** What the CLI is not known to obey. */
  readonly lacks: ReadonlySet<LateOutcome>;
  /** The hook's input. */
  readonly input?: JsonObject | undefined;
}

/** A hook's result in the CLI's terms, or what is wrong with it. */
export type HookEncoding = EncodedHook | { readonly ok: false; readonly problem: string };

/** A hook's result in the CLI's terms. */
export interface EncodedHook {
  readonly ok: true;
  /** What was decided, in one word. */
  readonly decision: string;
  readonly response: JsonObject;
  readonly warnings: readonly Warning[];
  /** The CLI would go on all the same: the turn must be interrupted, before the answer is sent. */
  readonly interrupt: boolean;
}

const goingOn: EncodedHook = {
  ok: true,
  decision: 'continue',
  response: NO_ANSWER,
  warnings: [],
  interrupt: false,
};

/**
 * Encodes what a hook gave back so that the CLI does what its name says. Never throws. What the event cannot express
 * becomes a warning and "go on", except a deny, which becomes the strongest block the event has. What an older release
 * would ignore becomes a warning and a block.
 */
export function encodeHookOutcome(event: string, result: unknown, facts: HookFacts): HookEncoding {
  if (result === undefined || result === null) return goingOn;
  if (!isJsonObject(result)) return unusable(`a hook gives back an object or nothing, not ${kindOf(result)}`);
  try {
    return encodeObject(event, result, facts);
  } catch (error) {
    return unusable(error instanceof Error ? error.message : 'it could not be read');
  }
}

/** The strongest "no" the event has; at the end of a session it also ends the turn. */
export function strongestBlock(event: string, reason: string, rule: { stopping: boolean }): JsonObject {
  if (!rule.stopping) return denial(event, reason, false);
  return isGuardEvent(event) ? stopping(event, reason) : goingOn.response;
}

function encodeObject(event: string, result: JsonObject, facts: HookFacts): HookEncoding {
  const { decision } = result;
  if (isHookDecision(decision)) return encoders[decision](event, result, facts);
  if (decision === 'answerQuestions' || decision === 'decideLater') {
    return unusable(`${decision}() answers a permission request, not a hook`);
  }
  return encodeRaw(event, result, facts);
}

function isHookDecision(tag: unknown): tag is HookDecision['decision'] {
  return typeof tag === 'string' && Object.hasOwn(encoders, tag);
}

type Encoder = (event: string, outcome: JsonObject, facts: HookFacts) => HookEncoding;

const encoders: Readonly<Record<HookDecision['decision'], Encoder>> = {
  allow: encodeAllow,

  deny(event, { reason, interrupt }, facts) {
    const text = textOr(reason, 'A hook refused this.');
    const { obeysDeny } = abilitiesOf(event);
    const warnings = obeysDeny ? [] : [inexpressible(event, 'deny', 'the CLI is not known to obey it')];
    if (interrupt !== true) return encoded('deny', denial(event, text, false), { warnings });
    if (event === 'PreToolUse') return encodeStop(event, text, facts, 'deny');
    if (event === 'PermissionRequest') {
      return encoded('deny', denial(event, text, true), { interrupt: facts.lacks.has('stop') });
    }
    // A blocked prompt has no turn left to interrupt.
    if (event !== 'UserPromptSubmit') warnings.push(inexpressible(event, 'deny.interrupt', 'use stopTurn() instead'));
    return encoded('deny', denial(event, text, false), { warnings });
  },

  askUser(event, { reason }, facts) {
    // Going on is how a PermissionRequest hook leaves it to whoever is asked.
    if (event === 'PermissionRequest') return { ...goingOn, decision: 'askUser' };
    if (abilitiesOf(event).deny !== 'permission-decision') return notHere(event, 'askUser');
    if (event === 'PreToolUse' && facts.lacks.has('PreToolUse:ask')) return blocked('PreToolUse:ask', 'askUser()');
    return encoded('askUser', specific(event, { permissionDecision: 'ask', ...reasonField(reason) }));
  },

  modifyInput(event, { input }, facts) {
    const plain = plainObject(input, 'the input given to modifyInput()');
    if (!plain.ok) return plain;
    if (event !== 'PreToolUse') return notHere(event, 'modifyInput');
    if (facts.lacks.has('PreToolUse:modify')) return blocked('PreToolUse:modify', 'modifyInput()');
    return encoded('modifyInput', specific(event, { updatedInput: plain.value }));
  },

  addContext(event, { text }, facts) {
    if (typeof text !== 'string') return unusable('addContext() takes a text');
    if (!abilitiesOf(event).context) return notHere(event, 'addContext');
    return encoded('addContext', specific(event, { additionalContext: text }), { warnings: unheard(event, facts) });
  },

  replaceOutput: encodeReplaceOutput,

  stopTurn: (event, { reason }, facts) =>
    encodeStop(event, textOr(reason, 'A hook stopped the turn.'), facts, 'stopTurn'),

  deferTool(event, _, facts) {
    if (event !== 'PreToolUse') return notHere(event, 'deferTool');
    if (facts.lacks.has('PreToolUse:defer')) return blocked('PreToolUse:defer', 'deferTool()');
    return encoded('deferTool', specific(event, { permissionDecision: 'defer' }));
  },
};

function encodeAllow(event: string, outcome: JsonObject, facts: HookFacts): HookEncoding {
  const { updatedInput, updatedPermissions, reason, context } = outcome;
  const { deny, obeysDeny, context: takesContext } = abilitiesOf(event);
  const decides = deny === 'permission-decision';
  const asked = deny === 'permission-request';
  const warnings: Warning[] = [];
  const fields: Record<string, unknown> = decides ? { permissionDecision: 'allow', ...reasonField(reason) } : {};
  const decision: Record<string, unknown> = { behavior: 'allow' };

  if (updatedInput !== undefined) {
    const plain = plainObject(updatedInput, 'updatedInput');
    if (!plain.ok) return plain;
    const late = 'PreToolUse:allow:updatedInput';
    if (event === 'PreToolUse' && facts.lacks.has(late)) return blocked(late, 'allow({ updatedInput })');
    if (event === 'PreToolUse') fields.updatedInput = plain.value;
    else if (asked) decision.updatedInput = plain.value;
    else warnings.push(inexpressible(event, 'allow.updatedInput'));
  }
  if (updatedPermissions !== undefined) {
    const plain = plainJson(updatedPermissions);
    if (!plain.ok || !Array.isArray(plain.value)) return unusable('updatedPermissions must be a list of plain data');
    if (asked) decision.updatedPermissions = plain.value;
    else warnings.push(inexpressible(event, 'allow.updatedPermissions'));
  }
  if (context !== undefined) {
    warnings.push(...unheard(event, facts));
    if (takesContext) fields.additionalContext = textOr(context, '');
    else warnings.push(inexpressible(event, 'allow.context'));
  }
  if (reason !== undefined && !decides) warnings.push(inexpressible(event, 'allow.reason'));
  if (!obeysDeny && context === undefined && warnings.length === 0) return notHere(event, 'allow');

  if (asked) fields.decision = decision;
  return encoded('allow', Object.keys(fields).length === 0 ? goingOn.response : specific(event, fields), { warnings });
}

function encodeReplaceOutput(event: string, { output }: JsonObject, { input, lacks }: HookFacts): HookEncoding {
  const plain = plainJson(output);
  if (!plain.ok) return unusable(`the output given to replaceOutput() cannot be sent: ${plain.problem}`);
  if (event !== 'PostToolUse') return notHere(event, 'replaceOutput');
  if (lacks.has('PostToolUse:replaceOutput')) return endedInstead();
  const response = specific(event, { updatedToolOutput: plain.value });
  const original = input?.tool_response;
  // An MCP tool's list of blocks may be replaced by a text; otherwise the CLI ignores another structure in silence.
  const fits = original === undefined || kindOf(original) === kindOf(plain.value) || Array.isArray(original);
  const why = `the tool gave back ${kindOf(original)}, and the CLI ignores ${kindOf(plain.value)} in its place`;
  return encoded('replaceOutput', response, { warnings: fits ? [] : [inexpressible(event, 'replaceOutput', why)] });
}

/** The tool must not run as if the hook had said nothing. */
function blocked(outcome: LateOutcome, what: string): EncodedHook {
  const reason = `A hook answered with ${what}, which ${needs(outcome)}.`;
  const warnings = [late(outcome, what, 'the tool was refused')];
  return encoded('deny', denial('PreToolUse', reason, false), { warnings });
}

/** A block would leave the output beside it: only without another request the model does not get what was to be replaced. */
function endedInstead(): EncodedHook {
  const outcome = 'PostToolUse:replaceOutput';
  const reason = `A hook replaced the output of a tool, which ${needs(outcome)}.`;
  const done = 'the turn was ended. The conversation still has the output: do not go on with it';
  return encoded('stopTurn', stopping('PostToolUse', reason), { warnings: [late(outcome, 'replaceOutput()', done)] });
}

function unheard(event: string, { lacks }: HookFacts): Warning[] {
  if (event !== 'PreToolUse' || !lacks.has('PreToolUse:context')) return [];
  return [late('PreToolUse:context', 'addContext()', 'the model may not read it')];
}

function needs(outcome: LateOutcome): string {
  return `needs Claude Code ${OBEYED_SINCE[outcome]} or newer`;
}

function late(outcome: LateOutcome, what: string, done: string): Warning {
  const [event] = outcome.split(':');
  return warning(
    'decision-not-expressible',
    `A hook of ${event} gave back ${what}, which ${needs(outcome)}, and this CLI is older or does not tell its version: ${done}.`,
    { event, what, required: OBEYED_SINCE[outcome] },
  );
}

function encodeStop(event: string, reason: string, facts: HookFacts, decision: string): EncodedHook {
  const { stop } = abilitiesOf(event);
  const interrupt = stop === 'nothing' || (stop === 'ends-since' && facts.lacks.has('stop'));
  return encoded(decision, stopping(event, reason), { interrupt });
}

function stopping(event: string, reason: string): JsonObject {
  const ending = { continue: false, stopReason: reason };
  // What has not happened yet must not happen; on the others a block would make the model go on.
  const prevents = isGuardEvent(event)
    ? event !== 'UserPromptSubmit'
    : event === 'PreCompact' || event === 'Elicitation';
  return prevents ? { ...ending, ...denial(event, reason, true) } : ending;
}

function denial(event: string, reason: string, interrupt: boolean): JsonObject {
  switch (abilitiesOf(event).deny) {
    case 'permission-decision':
      return specific(event, { permissionDecision: 'deny', permissionDecisionReason: reason });
    case 'permission-request':
      return specific(event, { decision: { behavior: 'deny', message: reason, ...(interrupt ? { interrupt } : {}) } });
    case 'decision':
      return { decision: 'block', reason };
    case 'action':
      return specific(event, { action: 'decline' });
    case 'all':
      return { decision: 'block', reason, continue: false, stopReason: reason };
  }
}

function encodeRaw(event: string, result: JsonObject, { lacks }: HookFacts): HookEncoding {
  if (isEmpty(result)) return goingOn;
  const plain = plainJson(result);
  if (!plain.ok) return unusable(`what the hook gave back cannot be sent: ${plain.problem}`);
  if (!isJsonObject(plain.value)) return unusable(`a hook gives back an object or nothing, not ${kindOf(plain.value)}`);
  if (isEmpty(plain.value)) return goingOn;
  const { response, warnings } = checkRawOutput(event, plain.value, lacks);
  return encoded(response.async === true ? 'async' : 'raw', response, { warnings });
}

function plainObject(value: unknown, what: string): { ok: true; value: JsonObject } | { ok: false; problem: string } {
  if (!isJsonObject(value)) return { ok: false, problem: `${what} must be an object, not ${kindOf(value)}` };
  const plain = plainJson(value);
  if (!plain.ok) return { ok: false, problem: `${what} cannot be sent: ${plain.problem}` };
  if (!isJsonObject(plain.value))
    return { ok: false, problem: `${what} must be an object, not ${kindOf(plain.value)}` };
  return { ok: true, value: plain.value };
}

function encoded(
  decision: string,
  response: JsonObject,
  rest: { warnings?: readonly Warning[]; interrupt?: boolean } = {},
): EncodedHook {
  return { ok: true, decision, response, warnings: rest.warnings ?? [], interrupt: rest.interrupt ?? false };
}

function specific(event: string, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: event, ...fields } };
}

function notHere(event: string, outcome: string): EncodedHook {
  return { ...goingOn, warnings: [inexpressible(event, outcome, 'it counts as "go on"')] };
}

function inexpressible(event: string, what: string, why = 'it was left out'): Warning {
  return warning(
    'decision-not-expressible',
    `A hook of ${event} gave back ${what}, which ${event} has no place for: ${why}.`,
    {
      event,
      what,
    },
  );
}

function unusable(problem: string): HookEncoding {
  return { ok: false, problem };
}

function isEmpty(object: JsonObject): boolean {
  for (const _field in object) return false;
  return true;
}

function reasonField(reason: unknown): JsonObject {
  return typeof reason === 'string' && reason !== '' ? { permissionDecisionReason: reason } : {};
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
