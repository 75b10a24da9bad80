import { OptionsError } from '../errors/options.ts';
import { field } from '../messages/fields.ts';
import { hasRulesOrHooks } from '../options/settings-check.ts';
import { isJsonObject } from '../wire/kinds.ts';

/**
 * The error for settings that the CLI has dropped: it drops all of them, with the rules that deny, if one is of a wrong kind.
 * `undefined` if they are in force, or the answer to `get_settings` does not say.
 */
export function droppedSettings(settings: unknown, answer: unknown): OptionsError | undefined {
  const sources = field(answer, 'sources');
  if (!isJsonObject(settings) || Object.keys(settings).length === 0 || !Array.isArray(sources)) return undefined;
  if (sources.some((each) => field(each, 'source') === 'flagSettings')) return undefined;
  const errors = field(answer, 'errors');
  const reasons = (Array.isArray(errors) ? errors : []).map(
    (each) => `${String(field(each, 'path'))}: ${String(field(each, 'message'))}`,
  );
  if (reasons.length === 0 && !hasRulesOrHooks(settings)) return undefined;
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 5).join('; ').slice(0, 500)})`;
  const message = `are dropped by the CLI as a whole, because it cannot read a part of them${why}.`;
  return new OptionsError([{ path: 'settings', message }]);
}
