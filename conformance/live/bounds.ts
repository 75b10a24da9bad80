import type { AgentOptions, ResultMessage } from 'coxswain';

/** The bounds of every run of the suite: a few short answers of the cheapest model. */
export const bounds: AgentOptions = {
  model: process.env.COXSWAIN_LIVE_MODEL ?? 'haiku',
  maxTurns: 4,
  maxBudgetUsd: 0.05,
  timeoutMs: 60_000,
  // Nothing of the user: no settings, no servers, no transcript, an empty folder.
  settingSources: [],
  strictMcpConfig: true,
  persistSession: false,
  cwd: folder(),
  // Given with a key; a login is in the user's own folder.
  ...(process.env.COXSWAIN_LIVE_CONFIG_DIR && { configDir: process.env.COXSWAIN_LIVE_CONFIG_DIR }),
};

/** Adds up what the runs cost. */
export class Bill {
  #usd = 0;
  #runs = 0;

  /** Takes the last result of a process: it has the cost of all its turns. */
  add(result: ResultMessage): void {
    this.#usd += result.total_cost_usd;
    this.#runs += 1;
  }

  toString(): string {
    return `$${this.#usd.toFixed(4)} in ${this.#runs} runs`;
  }
}

/** Only scripts/live.mjs sets it, after it has checked that a run is wanted. */
function folder(): string {
  const path = process.env.COXSWAIN_LIVE_CWD;
  if (path === undefined) throw new Error('This suite uses the real API: run it with npm run test:live.');
  return path;
}
