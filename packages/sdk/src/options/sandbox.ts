import { isJsonObject } from '../wire/kinds.ts';
import { type Check, flag, jsonObject, shape } from './checks.ts';

/** With a misspelt field or a value of the wrong type the sandbox would stay off. */
export const sandboxCheck: Check = shape(
  {
    enabled: flag,
    failIfUnavailable: flag,
    autoAllowBashIfSandboxed: flag,
    allowUnsandboxedCommands: flag,
    network: jsonObject,
    filesystem: jsonObject,
  },
  { open: true },
);

/**
 * The sandbox settings that the CLI is started with. An enabled sandbox must work: without `failIfUnavailable` the CLI runs
 * commands outside a sandbox if it cannot use one.
 */
export function sandboxIn({ settings, sandbox }: SandboxOptions): Readonly<Record<string, unknown>> | undefined {
  const inSettings = isJsonObject(settings) && isJsonObject(settings.sandbox) ? settings.sandbox : undefined;
  const own = isJsonObject(sandbox) ? sandbox : undefined;
  if (!inSettings && !own) return undefined;
  const merged: Record<string, unknown> = { ...inSettings, ...own };
  return merged.enabled === true ? { failIfUnavailable: true, ...merged } : merged;
}

/** True when the CLI must not start without a working sandbox. */
export function requiresSandbox(options: SandboxOptions): boolean {
  const { enabled, failIfUnavailable } = sandboxIn(options) ?? {};
  return enabled === true && failIfUnavailable === true;
}

/** Options, checked or unchecked. */
type SandboxOptions = { readonly [N in 'settings' | 'sandbox']?: unknown };
