import { checking } from '../errors/options.ts';
import { type Check, jsonObject, readable, shape } from './checks.ts';
import { optionChecks } from './table.ts';

const { signal, timeoutMs, model, permissionMode, maxThinkingTokens, mcpServers } = optionChecks;

/** The arguments of control operations that are checked before anything is sent. */
type Argument =
  | 'options'
  | 'payload'
  | 'settings'
  | 'frame'
  | 'servers'
  | 'model'
  | 'permissionMode'
  | 'maxThinkingTokens';

const checks: Readonly<Record<Argument, Check>> = {
  options: shape({ timeoutMs, signal }),
  payload: jsonObject,
  settings: jsonObject,
  frame: jsonObject,
  servers: mcpServers,
  model,
  permissionMode,
  maxThinkingTokens,
};

/** Checks arguments of a control operation by their names. @throws OptionsError */
export function checkOperation(given: Readonly<Partial<Record<Argument, unknown>>>): void {
  checking((report) => {
    for (const [name, value] of Object.entries(given)) {
      // The type of `given` allows no other names.
      readable(name, report, () => checks[name as Argument](value, name, report));
    }
  });
}
