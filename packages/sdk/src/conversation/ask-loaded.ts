import { type Loaded, loadedIn, unrequested } from '../control/loaded.ts';
import type { RequestOptions } from '../control/pending.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { Warning } from '../warnings/warning.ts';

/** The parts of a session that the requests use. */
export interface LoadedHost {
  readonly requests: { request(subtype: string, payload: object, options: RequestOptions): Promise<unknown> };
  readonly cli: {
    readonly plugins: readonly unknown[];
    versionKnown(): Promise<void>;
    has(feature: string): boolean;
  };
}

/**
 * Asks the CLI what it has loaded. `withContext` also asks for files of instructions, skills and agents: releases before
 * 2.1.257 then ask the API how long these are, at no cost but with up to some 25 requests.
 * @throws what the first request throws, if none is answered
 */
export async function askLoaded(host: LoadedHost, withContext: boolean, options: RequestOptions): Promise<Loaded> {
  const failures: unknown[] = [];
  const ask = (subtype: string, payload: object = {}): Promise<unknown> =>
    host.requests.request(subtype, payload, options).then(
      (answer) => answer ?? {},
      (error) => void failures.push(error),
    );
  const [get_settings, mcp_status, get_context_usage] = await Promise.all([
    ask('get_settings'),
    ask('mcp_status'),
    withContext ? ask('get_context_usage', { detail: 'summary' }) : undefined,
  ]);
  if (get_settings === undefined && mcp_status === undefined) throw failures[0];
  return loadedIn({ get_settings, mcp_status, get_context_usage }, host.cli.plugins);
}

/** Timeout of requests whose answers nothing waits for. */
const UNASKED_MS = 10_000;

/**
 * Warns if the CLI has loaded what the options do not ask for. They have decided when they say which settings are read, or
 * where the CLI runs: a `transport` may start it on a machine that has been made for it.
 */
export async function warnOfUnrequested(
  host: LoadedHost & { readonly plan: { readonly given: AgentOptions }; warn(warning: Warning): void },
): Promise<void> {
  const { settingSources, transport } = host.plan.given;
  if (settingSources !== undefined || transport !== undefined) return;
  await host.cli.versionKnown();
  // A release that drops its private settings when it is asked must not be asked.
  if (!host.cli.has('get_settings')) return;
  const withContext = host.cli.has('get_context_usage:summary');
  // A CLI that does not support the requests, or has exited, needs no separate warning.
  const loaded = await askLoaded(host, withContext, { timeoutMs: UNASKED_MS }).catch(() => undefined);
  const found = loaded && unrequested(loaded, settingSources);
  if (found) host.warn(found);
}
