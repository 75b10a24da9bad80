import { type Warning, warning } from '../warnings/warning.ts';
import { isDeeperThan } from '../wire/depth.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { CallbackContext } from './callback-context.ts';
import { decisionProblem, strayField } from './decision-fields.ts';
import type { PermissionKind, PermissionRequest } from './permission-request.ts';
import { permissionUpdates, type UpdateTerms } from './permission-updates.ts';
import { refuseMissingInput, replacingInput } from './plain-json.ts';

/** A decoded request, or why it is malformed. */
export type DecodedPermission =
  | { readonly ok: true; readonly request: PermissionRequest }
  | { readonly ok: false; readonly problem: string };

/** Decodes a `can_use_tool` request. Only the tool's name and an input are required. */
export function decodePermission(id: string, raw: unknown, terms: UpdateTerms = {}): DecodedPermission {
  if (!isJsonObject(raw)) return { ok: false, problem: 'the request is not an object' };
  const { tool_name: toolName, input } = raw;
  if (typeof toolName !== 'string') return { ok: false, problem: 'the request names no tool' };
  if (!isJsonObject(input)) return { ok: false, problem: 'the request has no input' };
  // A request that is too deep to be copied and shown completely must not be allowed.
  if (isDeeperThan(raw, DEEPEST))
    return { ok: false, problem: `the request is nested more deeply than ${DEEPEST} levels` };
  const request: unknown = {
    id,
    kind: kindOf(toolName),
    toolName,
    input,
    // Only the suggestions that an answer may accept.
    suggestions:
      terms.allowPermissionUpdates && Array.isArray(raw.permission_suggestions) ? raw.permission_suggestions : [],
    ...textFieldsOf(raw),
    ...(isJsonObject(raw.mcp_server) ? { mcpServer: raw.mcp_server } : {}),
    ...(typeof raw.requires_user_interaction === 'boolean'
      ? { requiresUserInteraction: raw.requires_user_interaction }
      : {}),
    raw,
  };
  // The tool's name determines the type of the input. As with messages, the SDK trusts the CLI here.
  return { ok: true, request: request as PermissionRequest };
}

const DEEPEST = 1_000;

/** Optional text fields: the CLI's name and ours. */
const TEXT_FIELDS = [
  ['tool_use_id', 'toolUseId'],
  ['blocked_path', 'blockedPath'],
  ['decision_reason', 'decisionReason'],
  ['decision_reason_type', 'decisionReasonType'],
  ['agent_id', 'agentId'],
  ['title', 'title'],
  ['display_name', 'displayName'],
  ['description', 'description'],
] as const;

function textFieldsOf(raw: JsonObject): JsonObject {
  const found: Record<string, string> = {};
  for (const [wire, name] of TEXT_FIELDS) {
    const value = raw[wire];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

function kindOf(toolName: string): PermissionKind {
  if (toolName === 'AskUserQuestion') return 'question';
  return toolName === 'ExitPlanMode' ? 'plan' : 'tool';
}

/** A response to the CLI, the decision to answer later, or why the result is unusable. */
export type PermissionEncoding =
  | { readonly ok: true; readonly later: true }
  | EncodedPermission
  | { readonly ok: false; readonly problem: string };

/** A permission decision as the response to the CLI. */
export interface EncodedPermission {
  readonly ok: true;
  readonly later: false;
  /** The decision in one word, for events. */
  readonly decision: 'allow' | 'deny' | 'answerQuestions' | 'stopTurn';
  readonly response: JsonObject;
  readonly warnings: readonly Warning[];
}

/** Context for encoding a decision. */
export interface PermissionFacts extends UpdateTerms {
  /** The arguments of the callback that returned the decision; undefined for `answerPermission()`. */
  readonly called?: CalledWith | undefined;
}

/** The arguments of a callback. The request is a copy, which the callback may have changed. */
export interface CalledWith {
  readonly request: PermissionRequest;
  readonly context: CallbackContext;
}

/** Encodes a permission decision. Never throws. */
export function encodePermission(
  request: PermissionRequest,
  result: unknown,
  facts: PermissionFacts = {},
): PermissionEncoding {
  const { called } = facts;
  try {
    if (!isJsonObject(result)) throw new TypeError(noDecision(called));
    if (called) refuseOfficialResult(result, called.context);
    const { decision, behavior } = result;
    refuseStrayFields(result);
    // A decision of null is unusable, not missing.
    switch (decision === undefined ? behavior : decision) {
      case 'allow':
        return encodeAllow(request, result, facts);
      case 'deny': {
        const reason = decision === undefined ? result.message : result.reason;
        return encoded('deny', denial(request, reason, result.interrupt === true));
      }
      case 'stopTurn':
        return encoded('stopTurn', denial(request, result.reason, true));
      case 'answerQuestions':
        return encodeAnswers(request, result.answers);
      case 'decideLater':
        return { ok: true, later: true };
      default:
        throw new TypeError(noDecision(called, decision));
    }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'it could not be read' };
  }
}

/** A denial. The CLI requires a message. */
export function denial(
  request: Pick<PermissionRequest, 'toolUseId'> | undefined,
  message: unknown,
  interrupt: boolean,
): JsonObject {
  return {
    behavior: 'deny',
    message: typeof message === 'string' && message !== '' ? message : 'Permission denied.',
    ...(interrupt ? { interrupt } : {}),
    ...idOf(request),
  };
}

/** Refuses unknown fields of an answer, which may be misspelt. @throws TypeError */
function refuseStrayFields(result: JsonObject): void {
  const { decision, behavior } = result;
  const problem = isPermissionDecision(decision)
    ? decisionProblem(decision, result)
    : decision === undefined && (behavior === 'allow' || behavior === 'deny')
      ? strayField(result, ['behavior', ...RAW_FIELDS[behavior]])
      : undefined;
  if (problem !== undefined) throw new TypeError(problem);
}

/** The fields of the CLI's own format, see `RawPermissionResult`. */
const RAW_FIELDS = { allow: ['updatedInput', 'updatedPermissions'], deny: ['message', 'interrupt'] } as const;

const DECISIONS = ['allow', 'deny', 'stopTurn', 'answerQuestions', 'decideLater'] as const;

function isPermissionDecision(tag: unknown): tag is (typeof DECISIONS)[number] {
  return DECISIONS.some((name) => name === tag);
}

function encodeAllow(request: PermissionRequest, result: JsonObject, facts: PermissionFacts): EncodedPermission {
  refuseMissingInput(result);
  const { updatedInput, updatedPermissions } = result;
  const warnings: Warning[] = [];
  if (result.reason !== undefined) warnings.push(inexpressible('reason'));
  if (result.context !== undefined) warnings.push(inexpressible('context'));
  if (updatedInput === undefined && facts.called) refuseChangedInput(request, facts.called);
  const input: object = updatedInput === undefined ? request.input : replacingInput(updatedInput, request.input);
  const updates =
    updatedPermissions === undefined
      ? {}
      : { updatedPermissions: permissionUpdates(updatedPermissions, facts, request.suggestions) };
  if (answersNothing(request, input)) {
    const message =
      'A question from the model was allowed without an answer; the model was informed. Use answerQuestions().';
    warnings.push(warning('question-not-answered', message, { id: request.id }));
  }
  const response = {
    behavior: 'allow',
    // Releases up to 2.1.197 reject an allow without an input.
    updatedInput: input,
    ...updates,
    ...idOf(request),
  };
  return encoded('allow', response, warnings);
}

/** Whether a question is allowed with this input, which has no answer. */
export function answersNothing(request: PermissionRequest, input: object): boolean {
  if (request.kind !== 'question') return false;
  const answers: unknown = Reflect.get(input, 'answers');
  return !isJsonObject(answers) || Object.keys(answers).length === 0;
}

function encodeAnswers(request: PermissionRequest, answers: unknown): EncodedPermission {
  if (request.kind !== 'question') {
    throw new TypeError(`answerQuestions() answers AskUserQuestion only, and the request is for ${request.toolName}`);
  }
  if (!isJsonObject(answers)) {
    throw new TypeError('answerQuestions() takes an object whose keys are the texts of the questions');
  }
  const asked = questionsIn(request.input);
  const texts: [string, string][] = [];
  for (const [question, choice] of Object.entries(answers)) {
    if (asked && !asked.includes(question)) {
      throw new TypeError(
        `the question "${question.slice(0, 80)}" was not asked; the keys of answers are the texts of the questions`,
      );
    }
    const chosen: readonly unknown[] = Array.isArray(choice) ? choice : [choice];
    if (!chosen.every((text) => typeof text === 'string')) {
      throw new TypeError(`the answer to "${question}" is not a string`);
    }
    texts.push([question, chosen.join(', ')]);
  }
  const updatedInput = { ...request.input, answers: Object.fromEntries(texts) };
  return encoded('answerQuestions', { behavior: 'allow', updatedInput, ...idOf(request) });
}

/** The texts of the questions; `undefined` if the CLI sends them in another form. */
function questionsIn(input: object): readonly unknown[] | undefined {
  const questions: unknown = Reflect.get(input, 'questions');
  if (!Array.isArray(questions)) return undefined;
  return questions.map((asked: unknown) => (isJsonObject(asked) ? asked.question : undefined));
}

/**
 * Refuses to run the original input if the callback has changed its own copy: the callback may assume that the copy runs.
 * @throws TypeError
 */
function refuseChangedInput(request: PermissionRequest, called: CalledWith): void {
  if (JSON.stringify(called.request.input) === JSON.stringify(request.input)) return;
  throw new TypeError(
    'it changed request.input in place, which has no effect: pass the input as allow({ updatedInput })',
  );
}

/**
 * Refuses the allow of a `canUseTool` written for the official SDK, which calls it with `(toolName, input, options)`. Called
 * with one request, such a callback compares an object with tool names and allows what does not match. @throws TypeError
 */
function refuseOfficialResult(result: JsonObject, context: CallbackContext): void {
  const { decision, behavior, updatedInput } = result;
  if ((decision === undefined ? behavior : decision) !== 'allow') return;
  if (isCopyOf(updatedInput, context)) throw new TypeError(`its updatedInput is the context: ${SIGNATURE}`);
  if (decision === undefined && updatedInput === undefined) {
    throw new TypeError(`an allow in the CLI's own format needs updatedInput: ${SIGNATURE}`);
  }
}

/** The context itself, or a spread or JSON copy of it. No tool has the id of its own call in its input. */
function isCopyOf(input: unknown, context: CallbackContext): boolean {
  if (input === context) return true;
  if (!isJsonObject(input)) return false;
  const { sessionId, toolUseId } = context;
  return toolUseId !== undefined && input.toolUseId === toolUseId && input.sessionId === sessionId;
}

const SIGNATURE =
  'this SDK calls canUseTool(request, context), and the callback returns allow() or deny(); see docs/migration.md';

/** Only a callback can return `decideLater()`; answers passed to `answerPermission()` are often JSON. */
function noDecision(called: CalledWith | undefined, decision?: unknown): string {
  const possible = called ? DECISIONS : DECISIONS.filter((name) => name !== 'decideLater');
  if (typeof decision === 'string') {
    return `the decision '${decision}' cannot answer a permission request; use one of ${possible.join(', ')}`;
  }
  const calls = `a decision is made with ${possible.map((name) => `${name}()`).join(', ')}`;
  return called ? calls : `${calls}, or is the same as JSON, such as { "decision": "allow" }`;
}

function idOf(request: Pick<PermissionRequest, 'toolUseId'> | undefined): JsonObject {
  return request?.toolUseId === undefined ? {} : { toolUseID: request.toolUseId };
}

function encoded(
  decision: EncodedPermission['decision'],
  response: JsonObject,
  warnings: readonly Warning[] = [],
): EncodedPermission {
  return { ok: true, later: false, decision, response, warnings };
}

function inexpressible(field: string): Warning {
  const what = `allow.${field}`;
  return warning('decision-not-expressible', `canUseTool returned ${what}, which only hooks can express.`, { what });
}
