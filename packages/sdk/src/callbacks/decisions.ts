import type { PermissionUpdate } from './permission-update.ts';

/** What a callback decided: plain JSON, discriminated by `decision`, so that another process can create it. */
export type Decision =
  | ({ readonly decision: 'allow' } & AllowOptions)
  | ({ readonly decision: 'deny'; readonly reason: string } & DenyOptions)
  | { readonly decision: 'askUser'; readonly reason?: string }
  | { readonly decision: 'modifyInput'; readonly input: object }
  | { readonly decision: 'addContext'; readonly text: string }
  | { readonly decision: 'replaceOutput'; readonly output: unknown }
  | { readonly decision: 'stopTurn'; readonly reason: string }
  | { readonly decision: 'deferTool' }
  | { readonly decision: 'answerQuestions'; readonly answers: Answers }
  | { readonly decision: 'decideLater' };

/** The decisions with these names; each function below returns the one with its name. */
export type DecisionOf<Name extends Decision['decision']> = Extract<Decision, { readonly decision: Name }>;

/** A decision that a hook can return. */
export type HookDecision = Exclude<Decision, DecisionOf<'answerQuestions' | 'decideLater'>>;

/** A decision that `canUseTool` can return. `answerPermission()` takes all of them except `decideLater()`. */
export type PermissionDecision = DecisionOf<'allow' | 'deny' | 'stopTurn' | 'answerQuestions' | 'decideLater'>;

/** Options of {@link allow}. */
export type AllowOptions = {
  /** Runs the tool with this input instead. */
  readonly updatedInput?: object;
  /** Permission updates to apply, for example the suggestions of the request. */
  readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
  /** Hooks only. */
  readonly reason?: string | undefined;
  /** Text for the model; hooks only. */
  readonly context?: string | undefined;
};

/** Options of {@link deny}. */
export type DenyOptions = {
  /** Also ends the turn. */
  readonly interrupt?: boolean | undefined;
};

/** The chosen answers by the text of the question; multiple choices as a list. */
export type Answers = Readonly<Record<string, string | readonly string[]>>;

/** The CLI's own format of a hook result. The SDK sends it unchanged. */
export interface HookOutput {
  readonly continue?: boolean;
  readonly suppressOutput?: boolean;
  readonly stopReason?: string;
  readonly decision?: 'approve' | 'block';
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName?: string; readonly [field: string]: unknown };
  /** The CLI continues immediately and does not wait for a result. */
  readonly async?: true;
  /** In ms. */
  readonly asyncTimeout?: number;
}

/** Allows the action. In PreToolUse and PermissionRequest no further permission is requested. */
export function allow(options: AllowOptions = {}): DecisionOf<'allow'> {
  return { ...options, decision: 'allow' };
}

/** Refuses the action; the model receives the reason. On Stop it refuses the stop, so the model continues. */
export function deny(reason: string, options: DenyOptions = {}): DecisionOf<'deny'> {
  return { ...options, decision: 'deny', reason };
}

/** PreToolUse: calls `canUseTool` regardless of the rules. Without a `canUseTool` the tool is refused. */
export function askUser(reason?: string): DecisionOf<'askUser'> {
  return reason === undefined ? { decision: 'askUser' } : { decision: 'askUser', reason };
}

/** PreToolUse: changes the input of the tool. It does not grant the permission to run. */
export function modifyInput(input: object): DecisionOf<'modifyInput'> {
  return { decision: 'modifyInput', input };
}

/** Adds text for the model to read. On Stop and SubagentStop it makes the model continue. */
export function addContext(text: string): DecisionOf<'addContext'> {
  return { decision: 'addContext', text };
}

/**
 * PostToolUse: replaces the output the model gets. The CLI ignores an output that does not have the structure of
 * `tool_response`.
 */
export function replaceOutput(output: unknown): DecisionOf<'replaceOutput'> {
  return { decision: 'replaceOutput', output };
}

/** Ends the turn. A tool that was about to run does not run. */
export function stopTurn(reason: string): DecisionOf<'stopTurn'> {
  return { decision: 'stopTurn', reason };
}

/**
 * PreToolUse: ends the turn and returns the tool call in `result.deferred_tool_use`, for the caller that resumes the
 * conversation.
 */
export function deferTool(): DecisionOf<'deferTool'> {
  return { decision: 'deferTool' };
}

/** Answers questions of the model (`AskUserQuestion`); `canUseTool` and `answerPermission()` only. */
export function answerQuestions(answers: Answers): DecisionOf<'answerQuestions'> {
  return { decision: 'answerQuestions', answers };
}

/** Leaves the request pending until `answerPermission()`; `canUseTool` only. */
export function decideLater(): DecisionOf<'decideLater'> {
  return { decision: 'decideLater' };
}
