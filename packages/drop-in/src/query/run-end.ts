/** The fields of a frame that tell whether a run goes on. */
export interface RunFrame {
  readonly type: string;
  readonly subtype?: unknown;
  readonly state?: unknown;
  readonly queued_turn_count?: unknown;
  readonly parent_tool_use_id?: unknown;
}

/** Whether the CLI has finished everything it was told. Pure: frames in, an answer out. */
export class RunEnd {
  private sent = 0;
  private awaiting = false;
  private queued = 0;
  private state: unknown;
  /** A prompt was sent while another was being answered, so the CLI may not have read it when it says that it is idle. */
  overlapping = false;

  /** A prompt is being written. */
  prompt(): void {
    this.overlapping = this.awaiting;
    this.awaiting = true;
    this.sent += 1;
  }

  /** True for a frame after which the run may be over. */
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

  /** True once there is a result after the last prompt, nothing waits and, if the CLI tells, it is idle. */
  get over(): boolean {
    return !this.awaiting && this.queued === 0 && (this.state === undefined || this.state === 'idle');
  }

  /** True when the run is over and the CLI has said that it is idle: it has no reason to stay once stdin is closed. */
  get idle(): boolean {
    return this.over && this.state === 'idle' && this.sent > 0;
  }

  /** True between a prompt and its result. */
  get unanswered(): boolean {
    return this.awaiting;
  }

  /** True while the CLI works: an abort now cuts something off. */
  get working(): boolean {
    return this.awaiting || (this.state !== undefined && this.state !== 'idle');
  }
}
