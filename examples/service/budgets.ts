import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

// #region budgets
/** What each customer has spent today, in a file, because a restart must not forget it. It stands in for a table of your database. */
export class Budgets {
  readonly #file: string;
  readonly #usdPerDay: number;
  #day = { date: '', spent: {} as Record<string, number> };

  constructor(file: string, usdPerDay: number) {
    this.#file = file;
    this.#usdPerDay = usdPerDay;
    try {
      this.#day = JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // a damaged file must not mean "nothing spent"
    }
  }

  /** In dollars; 0 if nothing is left. */
  left(customer: string): number {
    return Math.max(0, this.#usdPerDay - (this.#today()[customer] ?? 0));
  }

  add(customer: string, usd: number): void {
    const spent = this.#today();
    spent[customer] = (spent[customer] ?? 0) + usd;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#day));
    renameSync(`${this.#file}.new`, this.#file);
  }

  #today(): Record<string, number> {
    const date = new Date().toISOString().slice(0, 10);
    if (this.#day.date !== date) this.#day = { date, spent: {} };
    return this.#day.spent;
  }
}
// #endregion
