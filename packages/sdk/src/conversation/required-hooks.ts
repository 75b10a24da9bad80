import type { RequestOptions } from '../control/pending.ts';
import { OptionsError } from '../errors/options.ts';
import { field } from '../messages/fields.ts';
import { NO_HOOKS_VARIABLE, switchesHooksOff } from '../options/hooks-off.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { hasPrivateSettings } from '../options/settings-check.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { droppedSettings } from './required-settings.ts';

/** The parts of a session that the check uses. */
export interface HooksHost {
  readonly plan: { readonly given: AgentOptions; readonly hooks: readonly unknown[] };
  readonly requests: { send(subtype: string, payload: object, options: RequestOptions): Promise<unknown> };
  readonly cli: { readonly release: string | undefined; versionKnown(): Promise<void>; has(feature: string): boolean };
}

/** How long the CLI may take to list its settings; without an answer, the start does not depend on them. */
const ANSWER_MS = 5_000;

/**
 * Settings on disk can keep the CLI from calling hooks, and the CLI drops the settings of the options if it cannot read one of
 * them. So a session with hooks or settings asks for the settings before its first prompt. With a `transport`, the machine is
 * not known. @throws OptionsError
 */
export async function requireHooks(host: HooksHost): Promise<void> {
  const { plan, requests, cli } = host;
  const { settingSources, transport, settings } = plan.given;
  const calls = plan.hooks.length > 0 && settingSources?.length !== 0 && transport === undefined;
  const guards = isJsonObject(settings) && Object.keys(settings).length > 0;
  if (!calls && !guards) return;
  // A release that drops its private settings when it is asked must not be asked.
  if (cli.release === undefined && hasPrivateSettings(plan.given)) await cli.versionKnown();
  const askable = cli.release === undefined ? !hasPrivateSettings(plan.given) : cli.has('get_settings');
  if (!askable) return;
  const answer = await requests.send('get_settings', {}, { timeoutMs: ANSWER_MS }).catch(() => undefined);
  const failure = (calls ? refusal(answer) : undefined) ?? droppedSettings(settings, answer);
  if (failure) throw failure;
}

function refusal(answer: unknown): OptionsError | undefined {
  if (!switchesHooksOff(field(answer, 'effective'))) return undefined;
  const message = `are not called: settings on this machine set ${NO_HOOKS_VARIABLE}. Remove it there, or pass settingSources: [].`;
  return new OptionsError([{ path: 'hooks', message }]);
}
