import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { isPlain } from '../wire/plain-object.ts';
import { abilitiesOf, type NewerDecision, SUPPORTED_SINCE } from './abilities.ts';
import type { CallbackAnswer } from './callback-request.ts';
import { decisionProblem } from './decision-fields.ts';
import type { HookDecision } from './decisions.ts';
import { permissionUpdates, type UpdateTerms } from './permission-updates.ts';
import { kindOf, plainJson, plainObject, refuseMissingInput, replacingInput } from './plain-json.ts';
import { checkRawOutput, denies, rawProblem, suspectOutput } from './raw-output.ts';

/** What is known about the CLI and the request when a hook's result is encoded. */
export interface HookFacts {
  /** True for a decision this CLI is not known to support. */
  readonly ignores: (decision: NewerDecision) => boolean;
  /** Whether results may change permissions. */
  readonly updates?: UpdateTerms;
  /** The hook's input. */
  readonly input?: JsonObject | undefined;
  /** The hook has changed the tool's input in place, which has no effect. */
  readonly changedInput?: boolean;
}

/** An encoded result, or why it is unusable. */
export type HookEncoding = EncodedHook | { readonly ok: false; readonly problem: string };

/** A hook's result as the answer to the CLI. */
export interface EncodedHook extends CallbackAnswer {
  readonly ok: true;
  /** The decision in one word, for events. */
  readonly decision: string;
  readonly warnings: readonly Warning[];
}

const CONTINUE: EncodedHook = { ok: true, decision: 'continue', response: {}, warnings: [], interrupt: false };

/**
 * Encodes a hook's result so that the CLI carries out the decision. Never throws. A decision the event cannot express
 * becomes a warning and "continue", except a deny, which becomes the strongest block the event has.
 */
export function encodeHookResult(event: string, result: unknown, facts: HookFacts): HookEncoding {
  try {
    const encoding = encodeResult(event, result, facts);
    return facts.changedInput ? withChangedInput(event, encoding) : encoding;
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'it could not be read' };
  }
}

/** @throws TypeError when the result is unusable */
function encodeResult(event: string, result: unknown, facts: HookFacts): EncodedHook {
  if (result === undefined || result === null) return CONTINUE;
  if (!isJsonObject(result)) throw new TypeError(`a hook returns an object or nothing, not ${kindOf(result)}`);
  const { decision } = result;
  if (isHookDecision(decision)) return encodeDecision(event, decision, result, facts);
  if (decision === 'answerQuestions' || decision === 'decideLater') {
    throw new TypeError(`${decision}() answers a permission request, not a hook`);
  }
  return encodeRaw(event, result, facts);
}

function encodeDecision(
  event: string,
  name: HookDecision['decision'],
  decision: JsonObject,
  facts: HookFacts,
): EncodedHook {
  const problem = decisionProblem(name, decision);
  if (problem === undefined) return encoders[name](event, decision, facts);
  // Invalid fields do not turn a refusal into an allow.
  if (name !== 'deny' && name !== 'stopTurn') throw new TypeError(problem);
  const encoding = encoders[name](event, decision, facts);
  return { ...encoding, warnings: [...encoding.warnings, suspectOutput(event, `${name}(), but ${problem}`, decision)] };
}

/** A hook that changes the tool's input in place may assume that the changed input runs, so it cannot allow the original. */
function withChangedInput(event: string, encoding: EncodedHook): EncodedHook {
  const { hookSpecificOutput: specific } = encoding.response;
  const { permissionDecision, decision } = isJsonObject(specific) ? specific : {};
  const answer = isJsonObject(decision) ? decision : { behavior: permissionDecision, ...Object(specific) };
  if (answer.behavior === 'allow' && answer.updatedInput === undefined) {
    throw new TypeError(`it changed tool_input in place, ${NO_EFFECT}`);
  }
  if (encoding.decision !== 'continue') return encoding;
  const suspect = suspectOutput(event, `nothing, after it changed tool_input in place, ${NO_EFFECT}`, {});
  return { ...encoding, warnings: [...encoding.warnings, suspect] };
}

const NO_EFFECT = 'which has no effect: return modifyInput(), or allow({ updatedInput })';

function isHookDecision(tag: unknown): tag is HookDecision['decision'] {
  return typeof tag === 'string' && Object.hasOwn(encoders, tag);
}

/** @throws TypeError when the decision is unusable */
type Encoder = (event: string, decision: JsonObject, facts: HookFacts) => EncodedHook;

const encoders: Readonly<Record<HookDecision['decision'], Encoder>> = {
  allow: encodeAllow,

  deny(event, { reason, interrupt }, facts) {
    const text = textOr(reason, 'A hook refused this.');
    const unheeded = abilitiesOf(event).deny === 'unheeded';
    const warnings = unheeded ? [inexpressible(event, 'deny', 'the CLI may ignore it')] : [];
    if (interrupt !== true) return encoded('deny', denial(event, text), { warnings });
    if (event === 'PreToolUse') return encodeStop(event, text, facts, 'deny');
    if (event === 'PermissionRequest') {
      return encoded('deny', denial(event, text, true), { interrupt: facts.ignores('stop') });
    }
    // A blocked prompt has no turn left to interrupt.
    if (event !== 'UserPromptSubmit') warnings.push(inexpressible(event, 'deny.interrupt', 'use stopTurn() instead'));
    return encoded('deny', denial(event, text), { warnings });
  },

  askUser(event, { reason }) {
    // If a PermissionRequest hook continues, canUseTool decides.
    if (event === 'PermissionRequest') return { ...CONTINUE, decision: 'askUser' };
    if (abilitiesOf(event).deny !== 'permission-decision') return ignored(event, 'askUser');
    return encoded('askUser', specific(event, { permissionDecision: 'ask', ...reasonField(reason) }));
  },

  modifyInput(event, { input }) {
    const updatedInput = plainObject(input, 'the input given to modifyInput()');
    if (event !== 'PreToolUse') return ignored(event, 'modifyInput');
    return encoded('modifyInput', specific(event, { updatedInput }));
  },

  addContext(event, { text }) {
    if (typeof text !== 'string') throw new TypeError('addContext() takes a string');
    if (!abilitiesOf(event).context) return ignored(event, 'addContext');
    return encoded('addContext', specific(event, { additionalContext: text }));
  },

  replaceOutput: encodeReplaceOutput,

  stopTurn: (event, { reason }, facts) =>
    encodeStop(event, textOr(reason, 'A hook stopped the turn.'), facts, 'stopTurn'),

  deferTool(event) {
    if (event !== 'PreToolUse') return ignored(event, 'deferTool');
    return encoded('deferTool', specific(event, { permissionDecision: 'defer' }));
  },
};

function encodeAllow(event: string, allow: JsonObject, facts: HookFacts): EncodedHook {
  refuseMissingInput(allow);
  const { updatedInput, updatedPermissions, reason, context } = allow;
  const { deny, context: takesContext } = abilitiesOf(event);
  const decides = deny === 'permission-decision';
  const answersRequest = deny === 'permission-request';
  const warnings: Warning[] = [];
  const fields: Record<string, unknown> = decides ? { permissionDecision: 'allow', ...reasonField(reason) } : {};
  const decision: Record<string, unknown> = { behavior: 'allow' };

  if (updatedInput !== undefined) {
    const plain = replacingInput(updatedInput, facts.input?.tool_input);
    if (event === 'PreToolUse') fields.updatedInput = plain;
    else if (answersRequest) decision.updatedInput = plain;
    else warnings.push(inexpressible(event, 'allow.updatedInput'));
  }
  if (updatedPermissions !== undefined) {
    const plain = permissionUpdates(updatedPermissions, facts.updates ?? {}, facts.input?.permission_suggestions);
    if (answersRequest) decision.updatedPermissions = plain;
    else warnings.push(inexpressible(event, 'allow.updatedPermissions'));
  }
  if (context !== undefined) {
    if (takesContext) fields.additionalContext = textOr(context, '');
    else warnings.push(inexpressible(event, 'allow.context'));
  }
  if (reason !== undefined && !decides) warnings.push(inexpressible(event, 'allow.reason'));
  if (deny === 'unheeded' && context === undefined && warnings.length === 0) return ignored(event, 'allow');

  if (answersRequest) fields.decision = decision;
  return encoded('allow', Object.keys(fields).length === 0 ? {} : specific(event, fields), { warnings });
}

function encodeReplaceOutput(event: string, { output }: JsonObject, facts: HookFacts): EncodedHook {
  const plain = plainJson(output, 'the output given to replaceOutput()');
  if (event !== 'PostToolUse') return ignored(event, 'replaceOutput');
  if (facts.ignores('PostToolUse:replaceOutput')) return endTurnInstead(event);
  const response = specific(event, { updatedToolOutput: plain });
  const original = facts.input?.tool_response;
  // The array of blocks of an MCP tool may be replaced by text; otherwise the CLI silently ignores another structure.
  const fits = original === undefined || kindOf(original) === kindOf(plain) || Array.isArray(original);
  const why = `the tool returned ${kindOf(original)}, and the CLI ignores ${kindOf(plain)} in its place`;
  return encoded('replaceOutput', response, { warnings: fits ? [] : [inexpressible(event, 'replaceOutput', why)] });
}

function encodeStop(event: string, reason: string, facts: HookFacts, decision: string): EncodedHook {
  const { stop } = abilitiesOf(event);
  const interrupt = stop === 'nothing' || (stop === 'ends-since' && facts.ignores('stop'));
  return encoded(decision, stopping(event, reason), { interrupt });
}

function encodeRaw(event: string, result: JsonObject, { ignores, updates = {}, input }: HookFacts): EncodedHook {
  if (isEmpty(result) && isPlain(result)) return CONTINUE;
  refuseHidden(result);
  const plain = plainJson(result, 'the result of the hook');
  if (!isJsonObject(plain) || isEmpty(plain)) throw new TypeError('it has no fields that can be sent');
  if (!denies(plain)) refuseUnusableInput(result, input?.tool_input);
  const problem = rawProblem(event, plain, updates, input?.permission_suggestions);
  if (problem !== undefined && !denies(plain)) throw new TypeError(problem);
  const { response, warnings } = checkRawOutput(event, plain, ignores);
  const suspect = problem === undefined ? [] : [suspectOutput(event, `a refusal, but ${problem}`, plain)];
  return encoded(response.async === true ? 'async' : 'raw', response, { warnings: [...warnings, ...suspect] });
}

/** The objects of a result in the CLI's own format in which a decision can be. */
function partsOf(result: JsonObject): JsonObject[] {
  const { hookSpecificOutput: specific } = result;
  const { decision } = isJsonObject(specific) ? specific : {};
  return [result, specific, decision].filter(isJsonObject);
}

/** Refuses fields that JSON would leave out, such as those of a class, a Response or a Map: one may be the refusal. @throws TypeError */
function refuseHidden(result: JsonObject): void {
  for (const part of partsOf(result))
    if (typeof part.toJSON !== 'function') plainObject(part, 'the result of the hook');
}

/** A result that sets the input does not intend to run the original one. @throws TypeError */
function refuseUnusableInput(result: JsonObject, original: unknown): void {
  for (const part of partsOf(result)) {
    if (!Object.hasOwn(part, 'updatedInput')) continue;
    refuseMissingInput(part);
    replacingInput(part.updatedInput, original);
  }
}

/** The response that ends the turn, if the CLI obeys it. */
export function stopping(event: string, reason: string): JsonObject {
  const ending = { continue: false, stopReason: reason };
  // On other events a block would make the model continue.
  return abilitiesOf(event).stopDenies ? { ...ending, ...denial(event, reason, true) } : ending;
}

/** The strongest block the event has. */
export function denial(event: string, reason: string, interrupt = false): JsonObject {
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
    case 'unheeded':
      return { decision: 'block', reason, continue: false, stopReason: reason };
  }
}

/**
 * Ends the turn on a release that ignores the replacement: a block would keep the output, and the next request would send it
 * to the model.
 */
function endTurnInstead(event: string): EncodedHook {
  const required = SUPPORTED_SINCE['PostToolUse:replaceOutput'];
  const needs = `which needs Claude Code ${required} or newer`;
  const message =
    `A ${event} hook returned replaceOutput(), ${needs}, and this CLI is older or did not report its version: the turn was ` +
    'ended. The conversation still contains the output: do not continue it.';
  const tooOld = warning('decision-not-expressible', message, { event, what: 'replaceOutput()', required });
  const response = stopping(event, `A hook replaced the output of a tool, ${needs}.`);
  return encoded('stopTurn', response, { warnings: [tooOld] });
}

function ignored(event: string, decision: string): EncodedHook {
  return { ...CONTINUE, warnings: [inexpressible(event, decision, 'it counts as "continue"')] };
}

function inexpressible(event: string, what: string, why = 'it was left out'): Warning {
  const message = `A ${event} hook returned ${what}, which ${event} cannot express: ${why}.`;
  return warning('decision-not-expressible', message, { event, what });
}

function encoded(decision: string, response: JsonObject, rest: Partial<EncodedHook> = {}): EncodedHook {
  return { ...CONTINUE, decision, response, ...rest };
}

function specific(event: string, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: event, ...fields } };
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

function reasonField(reason: unknown): JsonObject {
  return typeof reason === 'string' && reason !== '' ? { permissionDecisionReason: reason } : {};
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
