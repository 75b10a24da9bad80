import type { Step } from './steps.ts';

/** Carries out the steps of a walk. */
export interface Driver {
  take(step: Step): Promise<void>;
  /** Waits for everything that was sent, and ends cleanly. */
  end(): Promise<void>;
  /** Ends everything that runs, when the walk has failed. */
  abandon(): Promise<void>;
}
