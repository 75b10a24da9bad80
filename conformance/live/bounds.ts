import type { AgentOptions, ResultMessage } from 'coxswain';

/** The bounds of every run of the suite: a few short answers of the cheapest model. */
export const bounds: AgentOptions = {
  model: process.env.COXSWAIN_LIVE_MODEL ?? 'haiku',
  maxTurns: 4,
  maxBudgetUsd: 0.05,
  timeoutMs: 60_000,
  // No data of the user: no settings, no servers, no transcript, an empty folder.
  settingSources: [],
  strictMcpConfig: true,
  persistSession: false,
  cwd: folder(),
  // Set with a key; a login is in the user's own folder.
  ...(process.env.COXSWAIN_LIVE_CONFIG_DIR && { configDir: process.env.COXSWAIN_LIVE_CONFIG_DIR }),
};

/** Adds up the costs of the runs. */
export class Bill {
  #usd = 0;
  #runs = 0;

  /** Adds the last result of a process, which has the cost of all its turns. */
  add(result: ResultMessage): void {
    this.#usd += result.total_cost_usd;
    this.#runs += 1;
  }

  toString(): string {
    return `$${this.#usd.toFixed(4)} in ${this.#runs} runs`;
  }
}

/** The folder of the suite. Only scripts/suites/live.mjs sets it, after checking that a run is intended. */
function folder(): string {
  const path = process.env.COXSWAIN_LIVE_CWD;
  if (path === undefined) throw new Error('This suite uses the real API: run it with npm run do -- test:live.');
  return path;
}
