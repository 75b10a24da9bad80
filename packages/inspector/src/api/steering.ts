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

/** The actions on a conversation. */
export type ActionName = Action['action'];

/** The body of `POST api/conversations/:id/actions`. */
export type Action =
  /** Sends a prompt, which waits for its turn. */
  | { readonly action: 'send'; readonly text: string }
  /** Adds to the running turn. */
  | { readonly action: 'steer'; readonly text: string }
  | { readonly action: 'interrupt' }
  /** Removes a waiting turn or job from the queue, or interrupts a running one. Without `turn`: the newest waiting one. */
  | { readonly action: 'cancel'; readonly turn?: string }
  /** Continues in a copy; the response has the id of the new conversation. */
  | { readonly action: 'fork'; readonly text?: string }
  /** Continues a conversation without a process; the response has the id of the live one. */
  | { readonly action: 'resume'; readonly text?: string }
  | { readonly action: 'rename'; readonly title: string }
  | { readonly action: 'close' };

/** The body of `POST api/queues/:id/actions`. */
export interface QueueAction {
  /** `cancel`: removes a waiting turn or job. `resend`: submits again a turn that no worker could start. */
  readonly action: 'cancel' | 'resend';
  readonly turn: string;
}

/** The response to a successful action. */
export interface ActionResult {
  readonly ok: true;
  /** The conversation to show next, if it is a different one. */
  readonly conversation: string | null;
}

/** One action of a person: who, what and when. */
export interface AuditEntry {
  readonly at: number;
  /** The name from the server's auth hook, or else `local`. */
  readonly by: string;
  readonly conversation: string;
  /** `allow`, `deny`, `answer`, or the name of the action. */
  readonly action: string;
  /** The request that was answered, successfully or not; `null` for other actions. */
  readonly approval: string | null;
  /** Description for people: `Bash: npm test, for the session`; with an error, what was attempted. */
  readonly note: string;
  /** What a person wrote, as JSON: the input that replaces the model's, or the answers to its questions. */
  readonly detail: string | null;
  /** The error; `null` if the action succeeded. */
  readonly error: string | null;
}
