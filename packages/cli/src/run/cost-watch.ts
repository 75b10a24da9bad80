import type { Session } from 'coxswain';

/** Asks the CLI periodically for the cost of the session so far; a release without support is asked once. */
export class CostWatch {
  readonly #session: Session;
  #usd: number | undefined;
  #askedAt = performance.now();
  #isAsking = false;
  #isUseless = false;

  constructor(session: Session) {
    this.#session = session;
  }

  get usd(): number | undefined {
    return this.#usd;
  }

  refresh(): void {
    if (this.#isUseless || this.#isAsking || performance.now() - this.#askedAt < EVERY_MS) return;
    this.#isAsking = true;
    this.#session.request('get_session_cost', {}, { timeoutMs: EVERY_MS }).then(
      (answer) => this.#take(answer),
      () => {
        this.#isUseless = true;
      },
    );
  }

  #take(answer: unknown): void {
    this.#isAsking = false;
    this.#askedAt = performance.now();
    const text = typeof answer === 'object' && answer !== null && 'text' in answer ? String(answer.text) : '';
    const [, usd] = /Total cost:\s*\$([\d.]+)/.exec(text) ?? [];
    if (usd !== undefined) this.#usd = Number(usd);
  }
}

const EVERY_MS = 2_000;
