import { signal } from '@preact/signals';

/** The tabs of the right column. */
export type Tab = 'detail' | 'timeline' | 'agents' | 'cost';

const wide = matchMedia('(min-width: 1181px)');

/** Whether the right column is open; on narrow pages it covers the conversation, so it starts closed. */
export const detailOpen = signal(wide.matches);

/** Whether the open column covers the conversation. */
export function coversPage(): boolean {
  return !wide.matches;
}

/** Whether it is open on wide pages, for a window that becomes narrow and wide again. */
let openWhenWide = true;

wide.addEventListener('change', ({ matches }) => {
  if (!matches) openWhenWide = detailOpen.peek();
  detailOpen.value = matches && openWhenWide;
});

export const tab = signal<Tab>('detail');
