import type { PermissionUpdate } from '../permissions/request.ts';

/** What a callback decided: plain JSON told apart by `outcome`, so that another process can make one. */
export type CallbackOutcome =
  | AllowOutcome
  | DenyOutcome
  | AskOutcome
  | ModifyOutcome
  | ContextOutcome
  | ReplaceOutputOutcome
  | StopOutcome
  | DeferOutcome
  | AnswerOutcome
  | LaterOutcome;

/** What a hook can decide. */
export type HookOutcome = Exclude<CallbackOutcome, AnswerOutcome | LaterOutcome>;

/** What `canUseTool`, or whoever answers for it, can decide. */
export type PermissionOutcome = AllowOutcome | DenyOutcome | StopOutcome | AnswerOutcome | LaterOutcome;

/** Permits it. */
export interface AllowOutcome extends AllowOptions {
  readonly outcome: 'allow';
}

/** Refuses it. */
export interface DenyOutcome extends DenyOptions {
  readonly outcome: 'deny';
  readonly reason: string;
}

/** Asks whoever is asked for permissions. */
export interface AskOutcome {
  readonly outcome: 'ask';
  readonly reason?: string;
}

/** Changes a tool's input and leaves the permission to others. */
export interface ModifyOutcome {
  readonly outcome: 'modify';
  readonly input: object;
}

/** Tells the model something. */
export interface ContextOutcome {
  readonly outcome: 'context';
  readonly text: string;
}

/** Puts something else in the place of a tool's output. */
export interface ReplaceOutputOutcome {
  readonly outcome: 'replace-output';
  readonly output: unknown;
}

/** Ends the turn. */
export interface StopOutcome {
  readonly outcome: 'stop';
  readonly reason: string;
}

/** Ends the turn and leaves the tool call to whoever takes the conversation up again. */
export interface DeferOutcome {
  readonly outcome: 'defer';
}

/** Answers a question of the model. */
export interface AnswerOutcome {
  readonly outcome: 'answer';
  /** By the text of the question; several choices as a list. */
  readonly answers: Answers;
}

/** Leaves the answer to `answerPermission()`. */
export interface LaterOutcome {
  readonly outcome: 'later';
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
export function allow(options: AllowOptions = {}): AllowOutcome {
  return { outcome: 'allow', ...options };
}

/** Refuses it, and tells the model why. On Stop it refuses the stop: the model goes on. */
export function deny(reason: string, options: DenyOptions = {}): DenyOutcome {
  return { outcome: 'deny', reason, ...options };
}

/** PreToolUse: asks `canUseTool`, whatever the rules say; without one the tool is refused. */
export function ask(reason?: string): AskOutcome {
  return reason === undefined ? { outcome: 'ask' } : { outcome: 'ask', reason };
}

/** PreToolUse: the tool gets this input, if it is permitted to run. */
export function modify(input: object): ModifyOutcome {
  return { outcome: 'modify', input };
}

/** Tells the model something. On Stop and SubagentStop it goes on because of it. */
export function context(text: string): ContextOutcome {
  return { outcome: 'context', text };
}

/** PostToolUse: the model gets this instead; it must have the structure of `tool_response`, else the CLI ignores it. */
export function replaceOutput(output: unknown): ReplaceOutputOutcome {
  return { outcome: 'replace-output', output };
}

/** Ends the turn; a tool that was about to run does not. */
export function stop(reason: string): StopOutcome {
  return { outcome: 'stop', reason };
}

/** PreToolUse: ends the turn with the tool call in `result.deferred_tool_use`. */
export function defer(): DeferOutcome {
  return { outcome: 'defer' };
}

/** Answers a question of the model; `canUseTool` and `answerPermission()` only. */
export function answer(answers: Answers): AnswerOutcome {
  return { outcome: 'answer', answers };
}

/** Leaves the answer to `answerPermission()`; `canUseTool` only. */
export function later(): LaterOutcome {
  return { outcome: 'later' };
}
