import type { Connection } from '../connection/connection.ts';
import { within } from '../timing/timers.ts';

/** How long the CLI may take to report its costs. */
const ASK_MS = 2_000;

/** The CLI's answer to `get_usage`; undefined if it does not answer in time, or does not support the request. */
export function askUsage(requests: Pick<Connection['requests'], 'send'>): Promise<unknown> {
  const asked = requests.send('get_usage', {}, { timeoutMs: ASK_MS }).catch(() => undefined);
  return within(ASK_MS, asked);
}
