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
  /**
   * Continues in a copy; the response has the id of the new conversation. `before`: the number of a prompt, but not the first one; the
   * copy ends before it, and `text` is sent instead.
   */
  | { readonly action: 'fork'; readonly text?: string; readonly before?: number }
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
