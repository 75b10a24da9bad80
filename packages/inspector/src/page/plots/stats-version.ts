import { signal } from '@preact/signals';
import type { ServerEvent } from '../../api.ts';

/** Increases when the figures of the plots have changed. */
export const statsVersion = signal(0);
/** Increases when a queue has changed. */
export const queuesVersion = signal(0);

/** Increases when a person was asked, has answered, or has done something. */
export const auditVersion = signal(0);

/** Follows the events about figures. */
export function followFigures(event: ServerEvent): void {
  if (event.type === 'stats-changed' || event.type === 'snapshot') statsVersion.value++;
  if (AUDITED.has(event.type)) auditVersion.value++;
  if (event.type === 'queues-changed' || event.type === 'snapshot') queuesVersion.value++;
}

const AUDITED: ReadonlySet<ServerEvent['type']> = new Set(['snapshot', 'approval', 'approval-answered', 'audit']);
