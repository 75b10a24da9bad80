import type { PermissionUpdate } from '../permissions/request.ts';

/** What a callback decided: plain JSON told apart by `outcome`, so that another process can make one. */
export type Decision =
  | AllowDecision
  | DenyDecision
  | AskUserDecision
  | ModifyInputDecision
  | AddContextDecision
  | ReplaceOutputDecision
  | StopTurnDecision
  | DeferToolDecision
  | AnswerQuestionsDecision
  | DecideLaterDecision;

/** What a hook can decide. */
export type HookDecision = Exclude<Decision, AnswerQuestionsDecision | DecideLaterDecision>;

/** What `canUseTool`, or whoever answers for it, can decide. */
export type PermissionDecision =
  | AllowDecision
  | DenyDecision
  | StopTurnDecision
  | AnswerQuestionsDecision
  | DecideLaterDecision;

/** Permits it. */
export interface AllowDecision extends AllowOptions {
  readonly decision: 'allow';
}

/** Refuses it. */
export interface DenyDecision extends DenyOptions {
  readonly decision: 'deny';
  readonly reason: string;
}

/** Asks whoever is asked for permissions. */
export interface AskUserDecision {
  readonly decision: 'askUser';
  readonly reason?: string;
}

/** Changes a tool's input and leaves the permission to others. */
export interface ModifyInputDecision {
  readonly decision: 'modifyInput';
  readonly input: object;
}

/** Tells the model something. */
export interface AddContextDecision {
  readonly decision: 'addContext';
  readonly text: string;
}

/** Puts something else in the place of a tool's output. */
export interface ReplaceOutputDecision {
  readonly decision: 'replaceOutput';
  readonly output: unknown;
}

/** Ends the turn. */
export interface StopTurnDecision {
  readonly decision: 'stopTurn';
  readonly reason: string;
}

/** Ends the turn and leaves the tool call to whoever takes the conversation up again. */
export interface DeferToolDecision {
  readonly decision: 'deferTool';
}

/** Answers a question of the model. */
export interface AnswerQuestionsDecision {
  readonly decision: 'answerQuestions';
  /** By the text of the question; several choices as a list. */
  readonly answers: Answers;
}

/** Leaves the answer to `answerPermission()`. */
export interface DecideLaterDecision {
  readonly decision: 'decideLater';
}

/** What goes with an {@link allow}. */
export interface AllowOptions {
  /** Runs the tool with this input instead. */
  readonly updatedInput?: object | undefined;
  /** Rules that hold from now on, for instance the request's suggestions. */
  readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
  /** Hooks only. */
  readonly reason?: string | undefined;
  /** Tells the model something; hooks only. */
  readonly context?: string | undefined;
}

/** What goes with a {@link deny}. */
export interface DenyOptions {
  /** Ends the turn too. */
  readonly interrupt?: boolean | undefined;
}

/** Choices by the text of the question. */
export type Answers = Readonly<Record<string, string | readonly string[]>>;

/** The CLI's own form of a hook's answer, passed on as it is. */
export interface HookOutput {
  readonly continue?: boolean;
  readonly suppressOutput?: boolean;
  readonly stopReason?: string;
  readonly decision?: 'approve' | 'block';
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName?: string; readonly [field: string]: unknown };
  /** The CLI goes on at once. */
  readonly async?: true;
  /** In ms. */
  readonly asyncTimeout?: number;
}

/** Permits it: in PreToolUse and PermissionRequest nobody is asked any more. */
export function allow(options: AllowOptions = {}): AllowDecision {
  return { decision: 'allow', ...options };
}

/** Refuses it, and tells the model why. On Stop it refuses the stop: the model goes on. */
export function deny(reason: string, options: DenyOptions = {}): DenyDecision {
  return { decision: 'deny', reason, ...options };
}

/** PreToolUse: asks `canUseTool`, whatever the rules say; without one the tool is refused. */
export function askUser(reason?: string): AskUserDecision {
  return reason === undefined ? { decision: 'askUser' } : { decision: 'askUser', reason };
}

/** PreToolUse: the tool gets this input, if it is permitted to run. */
export function modifyInput(input: object): ModifyInputDecision {
  return { decision: 'modifyInput', input };
}

/** Tells the model something. On Stop and SubagentStop it goes on because of it. */
export function addContext(text: string): AddContextDecision {
  return { decision: 'addContext', text };
}

/** PostToolUse: the model gets this instead; it must have the structure of `tool_response`, else the CLI ignores it. */
export function replaceOutput(output: unknown): ReplaceOutputDecision {
  return { decision: 'replaceOutput', output };
}

/** Ends the turn; a tool that was about to run does not. */
export function stopTurn(reason: string): StopTurnDecision {
  return { decision: 'stopTurn', reason };
}

/** PreToolUse: ends the turn with the tool call in `result.deferred_tool_use`. */
export function deferTool(): DeferToolDecision {
  return { decision: 'deferTool' };
}

/** Answers a question of the model; `canUseTool` and `answerPermission()` only. */
export function answerQuestions(answers: Answers): AnswerQuestionsDecision {
  return { decision: 'answerQuestions', answers };
}

/** Leaves the answer to `answerPermission()`; `canUseTool` only. */
export function decideLater(): DecideLaterDecision {
  return { decision: 'decideLater' };
}
