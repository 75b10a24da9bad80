import type { Cut, Diff } from './transcript.ts';

/** A request that waits for a person. */
export interface Approval {
  readonly id: string;
  readonly conversation: string;
  /** The title of the conversation. */
  readonly conversationTitle: string;
  readonly kind: 'tool' | 'question' | 'plan';
  readonly tool: string;
  readonly argument: string;
  /** What would run: the command of Bash, else the input as JSON. For a plan its Markdown, for a question ''. */
  readonly what: Cut;
  /** The rest of the input, which neither `what` nor `diff` nor `questions` shows: it may change what the call does. */
  readonly fields: readonly { readonly name: string; readonly value: Cut }[];
  /** The input as JSON, for Edit; `null` if it is too large to be edited here. */
  readonly input: string | null;
  readonly diff: Diff | null;
  readonly questions: readonly Question[];
  /** Why the CLI asks. */
  readonly reason: string | null;
  readonly blockedPath: string | null;
  /** What the model says about the call. */
  readonly description: string | null;
  /** The subagent that asks, by its task. */
  readonly agent: string | null;
  /** Rules that can be accepted along with it. */
  readonly suggestions: readonly Suggestion[];
  /** Which scopes have suggestions: without `session` and `always` only `once` can be chosen. */
  readonly scopes: readonly ApprovalScope[];
  readonly requestedAt: number;
  /** The number of its tool entry. */
  readonly entry: number | null;
}

/**
 * `once`: this call. `session`: also the suggested rules, until the session ends. `always`: kept in the settings. `mode`: the
 * rules, and the permission mode that is suggested beside them, which allows more than the call.
 */
export type ApprovalScope = 'once' | 'session' | 'always' | 'mode';

/** A rule that the CLI suggests. */
export interface Suggestion {
  /** `Bash(npm test:*)`, `files in /srv/app`, `edits of files without asking`. */
  readonly rule: string;
  /** Where it is kept: `this session`, `.claude/settings.local.json`, … */
  readonly destination: string;
  readonly scope: Exclude<ApprovalScope, 'once'>;
}

/** One question with choices. */
export interface Question {
  readonly question: string;
  readonly header: string;
  readonly multiSelect: boolean;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/**
 * The body of POST api/approvals/:id. `session` and `always` accept the suggestions of that scope. `input` (JSON text)
 * replaces the tool's input. `answers` are by the text of the question; several choices as a list; free text is allowed.
 */
export type ApprovalAnswer =
  | { readonly decision: 'allow'; readonly scope: ApprovalScope; readonly input?: string }
  | { readonly decision: 'deny'; readonly reason: string; readonly interrupt?: boolean }
  | { readonly decision: 'answer'; readonly answers: Readonly<Record<string, string | readonly string[]>> };

/** A request that needs no person any more. */
export interface AnsweredApproval {
  readonly id: string;
  readonly conversation: string;
  /** `allow`, `deny`, `answerQuestions`, or why nothing was decided: `cancelled`, `timeout`, `stopped`. */
  readonly decision: string;
  /** Who answered here; `null` if the program did, or nobody. */
  readonly by: string | null;
  readonly at: number;
}
