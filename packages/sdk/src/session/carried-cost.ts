import { compareVersions } from '../cli/version.ts';
import { type CostReading, NOTHING_READ, readingInUsage } from '../messages/cost-meter.ts';
import type { AgentOptions } from '../options/groups.ts';

/** The first release whose process goes on counting where the one before it ended in good order. Measured. */
const CARRIES_SINCE = '2.1.277';

/** The first release whose results say what was spent since the one before. Measured. */
const TELLS_SINCE = '2.1.309';

/** How long the CLI may take to say what it begins with. */
export const ASK_BASE_MS = 2_000;

/** The options that say whether a process goes on with a conversation. */
export type ResumeOptions = Pick<AgentOptions, 'resume' | 'continue'>;

/** What is known of the totals with which a process begins. */
export class CarriedCost {
  /** The process goes on with a conversation that another has begun. */
  readonly resumes: boolean;
  #asked: CostReading | undefined;

  constructor({ resume, continue: goesOn }: ResumeOptions) {
    this.resumes = resume !== undefined || goesOn === true;
  }

  /** Whether only the CLI can tell. An unknown release is asked. */
  mustAsk(release: string | undefined): boolean {
    if (!this.resumes) return false;
    return release === undefined || (carries(release) && compareVersions(release, TELLS_SINCE) < 0);
  }

  /** The answer of the CLI to `get_usage`, before its first prompt. */
  answered(answer: unknown): void {
    this.#asked = readingInUsage(answer);
  }

  /** The totals; `undefined` when they cannot be known. */
  reading(release: string | undefined): CostReading | undefined {
    if (!this.resumes || (release !== undefined && !carries(release))) return NOTHING_READ;
    return this.#asked;
  }
}

function carries(release: string): boolean {
  return compareVersions(release, CARRIES_SINCE) >= 0;
}
