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

/** What can be done with a conversation. */
export type ActionName = Action['action'];

/** The body of POST api/conversations/:id/actions. */
export type Action =
  /** Sends a prompt; it waits its turn. */
  | { readonly action: 'send'; readonly text: string }
  /** Adds to the running turn. */
  | { readonly action: 'steer'; readonly text: string }
  | { readonly action: 'interrupt' }
  /** Takes a waiting turn or job out of the queue, or interrupts the one that runs. Without `turn`: the newest that waits. */
  | { readonly action: 'cancel'; readonly turn?: string }
  /** Continues in a copy: the answer names the new conversation. */
  | { readonly action: 'fork'; readonly text?: string }
  /** Continues a conversation that has no process: the answer names the live one. */
  | { readonly action: 'resume'; readonly text?: string }
  | { readonly action: 'rename'; readonly title: string }
  | { readonly action: 'close' };

/** The body of POST api/queues/:id/actions. */
export interface QueueAction {
  /** `cancel`: takes a waiting turn or job out. `resend`: submits a turn that no worker could start once more. */
  readonly action: 'cancel' | 'resend';
  readonly turn: string;
}

/** The answer to an action that worked. */
export interface ActionResult {
  readonly ok: true;
  /** The conversation to look at next, if it is another one. */
  readonly conversation: string | null;
}

/** Who did what, and when. */
export interface AuditEntry {
  readonly at: number;
  /** The name from the server's auth hook, else `local`. */
  readonly by: string;
  readonly conversation: string;
  /** `allow`, `deny`, `answer`, or the name of the action. */
  readonly action: string;
  /** The request that was answered, or could not be; `null` for other actions. */
  readonly approval: string | null;
  /** For people: `Bash: npm test, for the session`; with an error, what the attempt was about. */
  readonly note: string;
  /** What a person wrote, as JSON: the input that runs instead of the model's, or the answers to its questions. */
  readonly detail: string | null;
  /** What came of it: `null` if it worked, else the error. */
  readonly error: string | null;
}
