import { checking } from '../errors/options.ts';
import { type Check, flag, jsonObject, readable, record, shape, text } from './checks.ts';
import { settingsObject } from './settings-check.ts';
import { mcpServer, optionChecks } from './table.ts';

const { signal, timeoutMs, model, permissionMode, maxThinkingTokens } = optionChecks;

/** Arguments of control operations that are checked before anything is sent. */
type Argument =
  | 'options'
  | 'rewind'
  | 'payload'
  | 'settings'
  | 'frame'
  | 'servers'
  | 'model'
  | 'permissionMode'
  | 'maxThinkingTokens';

const checks: Readonly<Record<Argument, Check>> = {
  options: shape({ timeoutMs, signal }),
  rewind: shape({ dryRun: flag, timeoutMs, signal }),
  payload: jsonObject,
  settings: settingsObject,
  frame: jsonObject,
  servers: record(mcpServer, { key: text() }),
  model,
  permissionMode,
  maxThinkingTokens,
};

/**
 * Checks the arguments of a control operation by name. Returns copies, which are sent later and again after a restart.
 * @throws OptionsError
 */
export function checkOperation<G extends Readonly<Partial<Record<Argument, unknown>>>>(given: G): G {
  return checking((report) => {
    const checked = Object.entries(given).map(([name, value]) => [
      name,
      // The type of `given` allows no other names.
      readable(name, report, () => checks[name as Argument](value, name, report)),
    ]);
    // A check returns what it was given, copied.
    return Object.fromEntries(checked) as G;
  }) as G;
}
