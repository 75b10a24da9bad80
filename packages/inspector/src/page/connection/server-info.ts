import { signal } from '@preact/signals';
import type { ServerEvent, ServerInfo } from '../../api.ts';
import { getJson } from './http.ts';
import { notOvertaken } from './not-overtaken.ts';

/** What the server says about itself; `null` before its first answer. */
export const serverInfo = signal<ServerInfo | null>(null);

/** A pool that is opened later brings its queue with it, and a server that was restarted may have other options. */
export function followInfo(event: ServerEvent): void {
  const hasNewQueue = event.type === 'queues-changed' && serverInfo.peek()?.has.queues === false;
  if (hasNewQueue || event.type === 'snapshot') {
    // The next change tries again.
    loadInfo().catch(() => {});
  }
}

const read = notOvertaken<ServerInfo>((info) => {
  serverInfo.value = info;
});

/** Asks the server about itself. */
export function loadInfo(): Promise<void> {
  return read(() => getJson('api/info'));
}
