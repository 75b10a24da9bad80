import { OptionsError } from '../errors/options.ts';
import { field } from '../messages/fields.ts';
import { hasRulesOrHooks } from '../options/settings-check.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/**
 * The error for settings that the CLI has dropped: it drops all of them, with the rules that deny, if one is of a wrong kind.
 * `undefined` if they are in force, or the answer to `get_settings` does not say.
 */
export function droppedSettings(settings: unknown, answer: unknown): OptionsError | undefined {
  const sources = field(answer, 'sources');
  if (!isJsonObject(settings) || Object.keys(settings).length === 0 || !Array.isArray(sources)) return undefined;
  if (sources.some(isFlagSettings)) return undefined;
  const errors = errorsIn(answer);
  if (errors.length === 0 && !hasRulesOrHooks(settings)) return undefined;
  return droppedError(errors);
}

/**
 * The same for settings that were applied to a running CLI. Its sources list each of them by name, unless it has dropped them; if
 * the options have one of the same name, only newer releases, which report an error, can be asked.
 */
export function droppedChange(settings: JsonObject, answer: unknown): OptionsError | undefined {
  const sources = field(answer, 'sources');
  if (!Array.isArray(sources)) return undefined;
  const inForce = sources.filter(isFlagSettings).map((each) => field(each, 'settings'));
  const lost = Object.entries(settings).some(
    ([name, value]) =>
      value !== null && value !== undefined && inForce.every((each) => field(each, name) === undefined),
  );
  const errors = errorsIn(answer).filter((each) => field(each, 'file') === APPLIED);
  return lost || errors.length > 0 ? droppedError(errors) : undefined;
}

/** The name that the CLI gives applied settings in its errors. */
const APPLIED = 'SDK inline settings';

function isFlagSettings(source: unknown): boolean {
  return field(source, 'source') === 'flagSettings';
}

function errorsIn(answer: unknown): readonly unknown[] {
  const errors = field(answer, 'errors');
  return Array.isArray(errors) ? errors : [];
}

function droppedError(errors: readonly unknown[]): OptionsError {
  const reasons = errors.map((each) => `${String(field(each, 'path'))}: ${String(field(each, 'message'))}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 5).join('; ').slice(0, 500)})`;
  const message = `are dropped by the CLI as a whole, because it cannot read a part of them${why}.`;
  return new OptionsError([{ path: 'settings', message }]);
}
