import { Report } from '../report/report.ts';
import { KeptWarnings } from '../stream/kept-warnings.ts';
import type { Warning } from '../warnings/warning.ts';

/** The report of a query, which lists its warnings. A session may run for days, and keeps none. */
export class QueryReport extends Report {
  readonly #kept = new KeptWarnings();

  get warnings(): readonly Warning[] {
    return this.#kept.list;
  }

  override warn(given: Warning): Warning {
    const shown = super.warn(given);
    this.#kept.add(shown);
    return shown;
  }
}
