import { signal } from '@preact/signals';

/** The tabs of the right column. */
export type Tab = 'detail' | 'timeline' | 'agents' | 'cost';

/** Whether the right column is there; on narrow pages it covers the conversation, so it starts closed. */
export const detailOpen = signal(matchMedia('(min-width: 1181px)').matches);
export const tab = signal<Tab>('detail');
