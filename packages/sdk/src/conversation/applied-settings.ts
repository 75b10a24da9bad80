import { fieldsOf } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import { denyRulesIn } from '../options/settings-check.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { RequestQueue } from './request-queue.ts';
import { droppedChange } from './required-settings.ts';

/** The settings that were changed in a CLI while it runs. */
export class AppliedSettings {
  readonly #requests: Pick<RequestQueue, 'request'>;
  /** The settings that the CLI has accepted, by name. */
  #accepted: JsonObject = {};

  constructor(requests: Pick<RequestQueue, 'request'>) {
    this.#requests = requests;
  }

  /** The deny rules that were applied before and that these settings do not repeat, so that they would be lost. */
  deniesReplacedBy(settings: JsonObject): readonly unknown[] {
    if (settings.permissions === undefined) return [];
    const kept = denyRulesIn(settings);
    return denyRulesIn(this.#accepted).filter((rule) => !kept.includes(rule));
  }

  /**
   * Sends `apply_flag_settings`. Up to 2.1.290, at least, the CLI accepts a setting that it cannot read, and then drops all that
   * were ever applied, with the rules that deny: that is undone. @throws OptionsError, and the CLI's refusal
   */
  async apply(payload: object, options: RequestOptions): Promise<unknown> {
    const { settings } = fieldsOf(payload);
    const answer = await this.#requests.request(APPLY, payload, options);
    if (!isJsonObject(settings)) return answer;
    const report = await this.#requests
      .request('get_settings', {}, { timeoutMs: ANSWER_MS, ...options })
      .catch(() => undefined);
    const dropped = droppedChange(settings, report);
    if (dropped) {
      const before = Object.keys(settings).map((name) => [name, this.#accepted[name] ?? null]);
      await this.#requests.request(APPLY, { settings: Object.fromEntries(before) }, options);
      throw dropped;
    }
    this.#accepted = { ...this.#accepted, ...settings };
    return answer;
  }
}

const APPLY = 'apply_flag_settings';

/** How long the CLI may take to list its settings; without an answer they count as in force. */
const ANSWER_MS = 5_000;
