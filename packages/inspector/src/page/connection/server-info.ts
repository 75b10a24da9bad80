import { signal } from '@preact/signals';
import type { ServerInfo } from '../../api.ts';
import { getJson } from './http.ts';

/** What the server says about itself; `null` before its first answer. */
export const serverInfo = signal<ServerInfo | null>(null);

/** Asks the server about itself. */
export async function loadInfo(): Promise<void> {
  serverInfo.value = await getJson<ServerInfo>('api/info');
}
