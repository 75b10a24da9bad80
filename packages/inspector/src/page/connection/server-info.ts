import { signal } from '@preact/signals';
import type { ServerEvent, ServerInfo } from '../../api.ts';
import { getJson } from './http.ts';
import { inRequestOrder } from './request-order.ts';

/** Information about the server; `null` before its first response. */
export const serverInfo = signal<ServerInfo | null>(null);

/** Reloads the information: a pool may be opened later, and a restarted server may have other options. */
export function followInfo(event: ServerEvent): void {
  const hasNewQueue = event.type === 'queues-changed' && serverInfo.peek()?.has.queues === false;
  if (hasNewQueue || event.type === 'snapshot') {
    // The next change tries again.
    loadInfo().catch(() => {});
  }
}

const read = inRequestOrder<ServerInfo>((info) => {
  serverInfo.value = info;
});

/** Fetches the information about the server. */
export function loadInfo(): Promise<void> {
  return read(() => getJson('api/info'));
}
