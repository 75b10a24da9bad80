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
  /** What would run: the command of Bash, or else the input as JSON. For a plan its Markdown, for a question ''. */
  readonly what: Cut;
  /** The rest of the input, which `what`, `diff` and `questions` do not show. It may change what the call does. */
  readonly fields: readonly { readonly name: string; readonly value: Cut }[];
  /** The input as JSON, for Edit; `null` if it is too large for the editor. */
  readonly input: string | null;
  readonly diff: Diff | null;
  readonly questions: readonly Question[];
  /** Why the CLI asks. */
  readonly reason: string | null;
  readonly blockedPath: string | null;
  /** The model's description of the call. */
  readonly description: string | null;
  /** The subagent that asks, named by its task. */
  readonly agent: string | null;
  /** Rules that can be accepted with the answer. */
  readonly suggestions: readonly Suggestion[];
  /** The available scopes. If neither `session` nor `always` is included, only `once` is possible. */
  readonly scopes: readonly ApprovalScope[];
  readonly requestedAt: number;
  /** The number of its tool entry. */
  readonly entry: number | null;
  /** Who may answer, and until when; `null` outside of a fleet. */
  readonly terms: ApprovalTerms | null;
}

/** Who may answer a request of a fleet, until when, and the hash of what is asked. */
export interface ApprovalTerms {
  readonly hash: string;
  /** `null`: anyone who may answer on this page. */
  readonly groups: readonly string[] | null;
  readonly expiresAt: number | null;
  readonly onExpiry: 'deny' | 'escalate' | null;
  /** Since when its turn is parked: no process waits for the answer. `null` while a worker waits. */
  readonly parkedAt: number | null;
}

/**
 * `once`: this call. `session`: also the suggested rules, until the session ends. `always`: also the suggested rules, saved in the
 * settings. `mode`: the rules and the suggested permission mode, which allows more than this call.
 */
export type ApprovalScope = 'once' | 'session' | 'always' | 'mode';

/** A rule that the CLI suggests. */
export interface Suggestion {
  /** `Bash(npm test:*)`, `files in /srv/app`, `edits of files without asking`. */
  readonly rule: string;
  /** Where the rule is saved: `this session`, `.claude/settings.local.json`, … */
  readonly destination: string;
  readonly scope: Exclude<ApprovalScope, 'once'>;
}

/** A multiple-choice question. */
export interface Question {
  readonly question: string;
  readonly header: string;
  readonly multiSelect: boolean;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/**
 * The body of `POST api/approvals/:id`. `session` and `always` accept the suggestions of that scope. `input` (JSON text)
 * replaces the tool's input. `answers` maps the text of a question to its answer: a choice, a list of choices, or free text.
 */
export type ApprovalAnswer =
  | { readonly decision: 'allow'; readonly scope: ApprovalScope; readonly input?: string }
  | { readonly decision: 'deny'; readonly reason: string; readonly interrupt?: boolean }
  | { readonly decision: 'answer'; readonly answers: Readonly<Record<string, string | readonly string[]>> };

/** A request that no longer needs an answer. */
export interface AnsweredApproval {
  readonly id: string;
  readonly conversation: string;
  /** `allow`, `deny`, `answerQuestions`, or why there is no decision: `cancelled`, `timeout`, `stopped`. */
  readonly decision: string;
  /** The person who answered here; `null` if the program answered, or no one. */
  readonly by: string | null;
  readonly at: number;
}
