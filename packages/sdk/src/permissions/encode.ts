import type { CallbackContext } from '../hooks/events.ts';
import { plainJson } from '../hooks/plain-json.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { officialAnswer } from './official-answer.ts';
import type { PermissionRequest } from './request.ts';

/** An answer in the CLI's terms, the wish to answer later, or what is wrong with it. */
export type PermissionEncoding =
  | { readonly ok: true; readonly later: true }
  | EncodedPermission
  | { readonly ok: false; readonly problem: string };

/** An answer in the CLI's terms. */
export interface EncodedPermission {
  readonly ok: true;
  readonly later: false;
  /** What was decided, in one word. */
  readonly decision: 'allow' | 'deny' | 'answerQuestions' | 'stopTurn';
  readonly response: JsonObject;
  readonly warnings: readonly Warning[];
}

/** Encodes what was decided about a permission; `called` is the context of the callback that decided it. Never throws. */
export function encodePermission(
  request: PermissionRequest,
  result: unknown,
  called?: CallbackContext | undefined,
): PermissionEncoding {
  if (!isJsonObject(result))
    return unusable('an answer is made with allow(), deny(), answerQuestions() or decideLater()');
  try {
    const official = called && officialAnswer(result, called);
    if (official !== undefined) return unusable(official);
    const { decision, behavior } = result;
    switch (decision ?? behavior) {
      case 'allow':
        return encodeAllow(request, result);
      case 'deny': {
        const reason = decision === undefined ? result.message : result.reason;
        return encoded('deny', denial(request, reason, result.interrupt === true));
      }
      case 'stopTurn':
        return encoded('stopTurn', denial(request, result.reason, true));
      case 'answerQuestions':
        return encodeAnswer(request, result.answers);
      case 'decideLater':
        return { ok: true, later: true };
      default:
        return unusable(
          typeof decision === 'string'
            ? `the decision '${decision}' cannot answer a permission`
            : 'an answer is made with allow(), deny(), answerQuestions() or decideLater()',
        );
    }
  } catch (error) {
    return unusable(error instanceof Error ? error.message : 'it could not be read');
  }
}

/** A refusal; the CLI demands a message. */
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

function encodeAllow(request: PermissionRequest, result: JsonObject): PermissionEncoding {
  const { updatedInput, updatedPermissions } = result;
  const warnings: Warning[] = [];
  if (result.reason !== undefined) warnings.push(inexpressible('reason'));
  if (result.context !== undefined) warnings.push(inexpressible('context'));
  // Who was asked may have put something into the request's own input.
  const input = plainCopy(updatedInput === undefined ? request.input : updatedInput);
  if (!isJsonObject(input)) return unusable('updatedInput must be an object of plain data');
  const permissions = updatedPermissions === undefined ? undefined : plainCopy(updatedPermissions);
  if (permissions !== undefined && !Array.isArray(permissions)) {
    return unusable('updatedPermissions must be a list of plain data');
  }
  if (request.kind === 'question' && !isJsonObject(input.answers)) {
    warnings.push(
      warning(
        'question-not-answered',
        'A question of the model was allowed but not answered, so the model is told that nobody did. Use answerQuestions().',
        { id: request.id },
      ),
    );
  }
  const response = {
    behavior: 'allow',
    // Releases up to 2.1.197 refuse an allow without it.
    updatedInput: input,
    ...(permissions === undefined ? {} : { updatedPermissions: permissions }),
    ...idOf(request),
  };
  return encoded('allow', response, warnings);
}

function encodeAnswer(request: PermissionRequest, answers: unknown): PermissionEncoding {
  if (request.kind !== 'question')
    return unusable(`answerQuestions() is for questions, and ${request.toolName} asks none`);
  if (!isJsonObject(answers)) return unusable('answerQuestions() takes the choices by the text of the question');
  const texts: [string, string][] = [];
  for (const [question, choice] of Object.entries(answers)) {
    const chosen: readonly unknown[] = Array.isArray(choice) ? choice : [choice];
    if (!chosen.every((text) => typeof text === 'string')) return unusable(`the answer to "${question}" is no text`);
    texts.push([question, chosen.join(', ')]);
  }
  const updatedInput = { ...request.input, answers: Object.fromEntries(texts) };
  return encoded('answerQuestions', { behavior: 'allow', updatedInput, ...idOf(request) });
}

/** The copy that JSON makes; `undefined` for what it cannot hold. */
function plainCopy(value: unknown): unknown {
  const plain = plainJson(value);
  return plain.ok ? plain.value : null;
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
  return warning(
    'decision-not-expressible',
    `canUseTool gave back allow.${field}, which only hooks have a place for.`,
    {
      what: `allow.${field}`,
    },
  );
}

function unusable(problem: string): PermissionEncoding {
  return { ok: false, problem };
}
