import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { isObject } from '../options/checks.ts';
import { isConnectable } from '../options/sdk-server.ts';

const OF_ONE_RUN = ['signal', 'sessionId', 'resume', 'resumeAt', 'continue', 'forkSession'] as const;

/** Belongs to one run, so a client cannot have it. */
export type UnshareableOption = (typeof OF_ONE_RUN)[number];

/** Refuses defaults that only one run can use. @throws OptionsError */
export function refuseUnshareable(defaults: unknown): void {
  // Anything else is refused by every call, like all bad options.
  if (!isObject(defaults)) return;
  const problems: OptionProblem[] = [];
  const refuse = (path: string, message: string): void => void problems.push({ path, message });
  for (const name of OF_ONE_RUN) {
    if (defaults[name] !== undefined) refuse(name, 'is for one run: give it to the call.');
  }
  if (isObject(defaults.transport)) {
    refuse('transport', 'is one connection, which one run can use: give a function that makes them.');
  }
  for (const [name, server] of Object.entries(isObject(defaults.mcpServers) ? defaults.mcpServers : {})) {
    if (!isConnectable(server)) continue;
    refuse(
      `mcpServers.${name}`,
      'is one server, which one session at a time can use: give { create: () => server } instead.',
    );
  }
  if (problems.length > 0) throw new OptionsError(problems);
}
