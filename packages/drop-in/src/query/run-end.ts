/** The fields of a frame that determine whether a run continues. */
export interface RunFrame {
  readonly type: string;
  readonly subtype?: unknown;
  readonly state?: unknown;
  readonly queued_turn_count?: unknown;
  readonly parent_tool_use_id?: unknown;
}

/** Tracks whether the CLI has finished all prompts. Pure: frames in, an answer out. */
export class RunEnd {
  private sent = 0;
  private awaiting = false;
  private queued = 0;
  private state: unknown;
  /** True if a prompt was sent during another one, so that the CLI may not have read it when it reports idle. */
  overlapping = false;

  /** Records that a prompt is being written. */
  prompt(): void {
    this.overlapping = this.awaiting;
    this.awaiting = true;
    this.sent += 1;
  }

  /** Records that the prompt being written is none: it cannot be written as JSON. */
  refused(): void {
    this.awaiting = this.overlapping;
    this.sent -= 1;
  }

  /** Records a frame. Returns true if the run may have ended. */
  frame(frame: RunFrame): boolean {
    if (frame.type === 'result') {
      this.awaiting = false;
      this.queued = typeof frame.queued_turn_count === 'number' ? frame.queued_turn_count : 0;
      return true;
    }
    if (frame.type !== 'system' || frame.subtype !== 'session_state_changed') return false;
    this.state = frame.state;
    return true;
  }

  get prompts(): number {
    return this.sent;
  }

  /** True after the result of the last prompt if nothing waits and, if the CLI reports its state, it is idle. */
  get hasEnded(): boolean {
    return !this.awaiting && this.queued === 0 && (this.state === undefined || this.state === 'idle');
  }

  /** True if the run has ended and the CLI has reported idle: it should exit once stdin is closed. */
  get idle(): boolean {
    return this.hasEnded && this.state === 'idle' && this.sent > 0;
  }

  /** True between a prompt and its result. */
  get unanswered(): boolean {
    return this.awaiting;
  }

  /** True while the CLI works, so that an abort interrupts something. */
  get working(): boolean {
    return this.awaiting || (this.state !== undefined && this.state !== 'idle');
  }
}
