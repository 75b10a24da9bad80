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
