import { randomNumbers } from './harms.ts';

/** Which turns ask for their tools. */
export interface AskingPlan {
  readonly seed: number;
  /** The share of turns that ask. */
  readonly asks?: number;
}

/** The prompt of a turn. Some ask for one tool, some for two, and some of their approvals expire soon; see worker-process.mjs. */
export function promptOf(n: number, { seed, asks = 0 }: AskingPlan): string {
  const random = randomNumbers(seed + n * 7_919);
  if (random() >= asks) return `p${n}`;
  const words = [`p${n}`, 'asks'];
  if (random() < 0.2) words.push('twice');
  if (random() < 0.15) words.push('soon');
  return words.join(' ');
}

/** The commands that a turn asks for. */
export function commandsOf(prompt: string): readonly string[] {
  const [, asks, twice] = prompt.split(' ');
  if (asks === undefined) return [];
  return twice === 'twice' ? ['first', 'second'] : ['first'];
}

/** The time for the answers to approvals that expire soon. */
export const SOON_MS = 700;
