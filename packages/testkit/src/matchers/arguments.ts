import { either, FLAG, type Kind, type KindsOf, oneOf } from '@coxswain/shared/option-kinds';
import type { Outcome } from 'coxswain';
import { checkArgument, checkOptions } from '../check-options.ts';
import type { ToolName } from './call.ts';
import { isAsymmetric, type Pattern, type TextPattern } from './pattern.ts';

/** One message of the conversation so far; `text` is searched in its text. */
export interface TurnPattern {
  readonly role?: 'user' | 'assistant';
  readonly text?: TextPattern;
  /** A tool this message calls. */
  readonly tool?: ToolName;
  /** The input of that call. */
  readonly input?: Pattern;
}

/** A result of a tool; `text` is searched in the model's input. */
export interface ToolResultPattern {
  readonly tool?: ToolName;
  readonly text?: TextPattern;
  readonly isError?: boolean;
}

// A matcher with a wrong argument never matches, and its negation always passes: hence these checks.

/** @throws OptionsError unless it can be the name of a tool */
export function checkToolName(matcher: string, name: ToolName): void {
  checkArgument(`${matcher}(name)`, name, TOOL_NAME);
}

/** @throws OptionsError unless the input of a tool, or its definition, can match it: both are objects */
export function checkObjectPattern(matcher: string, what: 'input' | 'definition', pattern: Pattern): void {
  if (pattern !== undefined) checkArgument(`${matcher}(name, ${what})`, pattern, OBJECT_PATTERN);
}

/** @throws OptionsError unless a text can be compared with it */
export function checkText(matcher: string, text: TextPattern): void {
  checkArgument(`${matcher}(text)`, text, TEXT_PATTERN);
}

/** @throws OptionsError for an unknown kind of outcome or unknown fields */
export function checkOutcome(kind: Outcome['kind'], details: unknown): void {
  checkArgument('toHaveEndedWith(kind)', kind, oneOf(...Object.keys(OUTCOMES)));
  if (details === undefined) return;
  checkArgument(`toHaveEndedWith('${kind}', details)`, details, OBJECT_PATTERN);
  const fields = Object.fromEntries(['kind', ...OUTCOMES[kind]].map((name) => [name, ANY]));
  checkOptions(`toHaveEndedWith('${kind}')`, Object(details), fields);
}

/** @throws OptionsError for unknown fields */
export function checkResultPattern(pattern: ToolResultPattern): void {
  checkOptions('toHaveToolResult()', pattern, RESULT);
}

/** @throws OptionsError for unknown fields */
export function checkTurnPattern(pattern: TurnPattern): void {
  checkOptions('toHaveTurn()', pattern, TURN);
}

/** @throws OptionsError unless there is at least one argument */
export function checkStartArguments(args: readonly (string | RegExp)[]): void {
  const listed: Kind = { is: () => args.length > 0, what: 'at least one argument' };
  checkArgument('toHaveBeenStartedWith()', args, listed);
  for (const arg of args) checkArgument('toHaveBeenStartedWith(arg)', arg, either(STRING, REG_EXP));
}

const STRING: Kind = { is: (value) => typeof value === 'string', what: 'a string' };
const REG_EXP: Kind = { is: (value) => value instanceof RegExp, what: 'a regular expression' };
const PREDICATE: Kind = { is: (value) => typeof value === 'function', what: 'a function' };
const ASYMMETRIC: Kind = { is: isAsymmetric, what: 'an asymmetric matcher' };
const PLAIN: Kind = {
  is: (value) =>
    typeof value === 'object' &&
    value !== null &&
    (Object.getPrototypeOf(value) === null || Object.prototype.toString.call(value) === '[object Object]'),
  what: 'an object',
};
const OBJECT_PATTERN = either(PLAIN, PREDICATE, ASYMMETRIC);
/** The API allows no other characters: `Bash(rm *)` is a rule, and no tool has that name. */
const TOOL: Kind = { is: (value) => typeof value === 'string' && /^[\w-]+$/.test(value), what: 'the name of a tool' };
const TOOL_NAME = either(TOOL, REG_EXP);
const TEXT_PATTERN = either(STRING, REG_EXP, PREDICATE, ASYMMETRIC);
const ANY: Kind = { is: () => true, what: 'anything' };

const RESULT: KindsOf<Required<ToolResultPattern>> = { tool: TOOL_NAME, text: TEXT_PATTERN, isError: FLAG };
const TURN: KindsOf<Required<TurnPattern>> = {
  role: oneOf('user', 'assistant'),
  text: TEXT_PATTERN,
  tool: TOOL_NAME,
  input: OBJECT_PATTERN,
};

type FieldsOf<Kind extends Outcome['kind']> = Exclude<keyof Extract<Outcome, { readonly kind: Kind }>, 'kind'>;

/** The fields of each kind of outcome. */
const OUTCOMES: { readonly [Kind in Outcome['kind']]: readonly FieldsOf<Kind>[] } = {
  completed: ['text', 'structuredOutput'],
  'max-turns': ['turns', 'message'],
  budget: ['totalCostUsd', 'message'],
  interrupted: ['during', 'message'],
  'stopped-by-hook': ['at', 'message'],
  deferred: ['toolUse', 'message'],
  'tool-unavailable': ['message'],
  refused: ['message'],
  'context-full': ['message'],
  'no-such-session': ['message'],
  auth: ['status', 'message'],
  'rate-limit': ['status', 'resetsAt', 'message'],
  'api-error': ['status', 'type', 'message'],
  'structured-output': ['message'],
  'execution-error': ['errors', 'message'],
  unknown: ['subtype', 'message'],
};
