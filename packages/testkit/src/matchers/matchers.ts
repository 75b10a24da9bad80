import type { Outcome } from 'coxswain';
import type { ToolResultPattern, TurnPattern } from './arguments.ts';
import type { ToolName } from './call.ts';
import { toHaveCompleted, toHaveEndedWith, toHaveSaid } from './message-matchers.ts';
import type { Pattern, TextPattern } from './pattern.ts';
import { toDecideAsRecorded, toHaveChanged } from './rehearsal-matchers.ts';
import { toHaveModel, toHaveOfferedTool, toHaveSystemPrompt, toHaveTurn } from './request-matchers.ts';
import { toHaveBeenStartedWith, toHaveBeenToldByHook } from './run-matchers.ts';
import { toHaveBeenPrompted, toHaveToolResult } from './shared-matchers.ts';
import { toHaveAskedAbout, toHaveRefusedTool, toHaveRunTool, toHaveUsedTool } from './tool-matchers.ts';
import type { Verdict } from './verdict.ts';

/**
 * The matchers by name; `R` is the return type of a runner's `expect`. The comment of each names the values it accepts; for a
 * list, at least one item must match.
 */
export interface CoxswainMatchers<R = void> {
  /** Messages: the model called this tool, with a matching input. */
  toHaveUsedTool(name: ToolName, input?: Pattern): R;
  /** Messages: the host was asked about this call. Requires a CLI that reports the decider (2.1.325 and the scripted CLI do). */
  toHaveAskedAbout(name: ToolName, input?: Pattern): R;
  /** Messages, runs: this call was refused by a hook, a rule or the host. */
  toHaveRefusedTool(name: ToolName, input?: Pattern): R;
  /** Messages, runs: this call was executed with this input. */
  toHaveRunTool(name: ToolName, input?: Pattern): R;
  /** Messages: the model wrote this text. */
  toHaveSaid(text: TextPattern): R;
  /** Messages: the last turn completed, with this final text. */
  toHaveCompleted(text?: TextPattern): R;
  /** Messages: the last turn ended with this outcome (see `outcomeOf`). */
  toHaveEndedWith(kind: Outcome['kind'], details?: Pattern): R;
  /** Messages, requests: the model received this result of a tool. */
  toHaveToolResult(result: ToolResultPattern): R;
  /** Runs, requests: this prompt was sent. */
  toHaveBeenPrompted(text: TextPattern): R;
  /** Runs: the CLI was started with these adjacent arguments. */
  toHaveBeenStartedWith(...args: (string | RegExp)[]): R;
  /** Runs: a hook added this context for the model. */
  toHaveBeenToldByHook(text: TextPattern): R;
  /** Requests: the request was for this model. */
  toHaveModel(model: TextPattern): R;
  /** Requests: the system prompt contains this. */
  toHaveSystemPrompt(text: TextPattern): R;
  /** Requests: the model was offered this tool with a matching definition; without a definition, deferred tools also count. */
  toHaveOfferedTool(name: ToolName, definition?: Pattern): R;
  /** Requests: the conversation so far has a matching message. */
  toHaveTurn(turn: TurnPattern): R;
  /** Rehearsals: every call was decided as in the recording. */
  toDecideAsRecorded(): R;
  /** Rehearsals: this came out differently, such as `Bash(npm publish)`; `after` is what it is now. */
  toHaveChanged(subject: TextPattern, after?: TextPattern): R;
}

/** For `expect.extend(coxswainMatchers)` of vitest and jest. */
export const coxswainMatchers: {
  readonly [Name in keyof CoxswainMatchers]: (
    received: unknown,
    ...args: Parameters<CoxswainMatchers[Name]>
  ) => Verdict;
} = {
  toHaveUsedTool,
  toHaveAskedAbout,
  toHaveRefusedTool,
  toHaveRunTool,
  toHaveSaid,
  toHaveCompleted,
  toHaveEndedWith,
  toHaveToolResult,
  toHaveBeenPrompted,
  toHaveBeenStartedWith,
  toHaveBeenToldByHook,
  toHaveModel,
  toHaveSystemPrompt,
  toHaveOfferedTool,
  toHaveTurn,
  toDecideAsRecorded,
  toHaveChanged,
};
