import { isObject } from './checks.ts';
import type { Report } from './report.ts';
import { isConnectable } from './sdk-server.ts';

const OF_ONE_RUN = ['signal', 'sessionId', 'resume', 'resumeAt', 'continue', 'forkSession'] as const;

/** An option of one run, which defaults shared by several runs cannot have. */
export type UnshareableOption = (typeof OF_ONE_RUN)[number];

/** Reports defaults that only one run can use; `instead` says where to pass them. */
export function checkShareable(defaults: unknown, instead: string, report: Report): void {
  // Each run refuses defaults that are not an object, like all invalid options.
  if (!isObject(defaults)) return;
  for (const name of OF_ONE_RUN) {
    if (defaults[name] !== undefined) report(name, `belongs to one run: ${instead}.`);
  }
  if (isObject(defaults.transport)) {
    report('transport', 'is one connection, which only one run can use: pass a function that creates them.');
  }
  for (const [name, server] of Object.entries(isObject(defaults.mcpServers) ? defaults.mcpServers : {})) {
    if (!isConnectable(server)) continue;
    const message = 'is one server, which only one session at a time can use: pass { create: () => server } instead.';
    report(`mcpServers.${name}`, message);
  }
}
