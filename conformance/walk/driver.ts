import type { Step } from './steps.ts';

/** Takes the steps of a walk on something that runs prompts. */
export interface Driver {
  take(step: Step): Promise<void>;
  /** Waits for what was sent, and ends in good order. */
  end(): Promise<void>;
  /** Ends whatever runs, when the walk has failed. */
  abandon(): Promise<void>;
}
