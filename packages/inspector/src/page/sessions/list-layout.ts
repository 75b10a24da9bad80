import { computed, type ReadonlySignal } from '@preact/signals';
import { now } from '../layout/clock.ts';
import { dayName } from '../text/format.ts';
import { conversationSignal, listed, sinceOf } from './conversations.ts';

/** Heights of a row and of the heading of a day, in pixels. */
const HEIGHT = { row: 56, day: 28 };

/** Where the rows of the list and the headings of its days are. */
export interface ListLayout {
  readonly rows: readonly { readonly id: string; readonly top: number }[];
  readonly days: readonly { readonly name: string; readonly top: number }[];
  readonly height: number;
}

const today = computed(() => new Date(now.value).setHours(0, 0, 0, 0));

/** The list, grouped by day; conversations that need a person are a group of their own. A single group has no heading. */
export const listLayout: ReadonlySignal<ListLayout> = computed(() => {
  const grouped = listed.value.map((id) => ({ id, group: groupOf(id) }));
  const isGrouped = grouped.some(({ group }) => group !== grouped[0]?.group);
  const rows: { id: string; top: number }[] = [];
  const days: { name: string; top: number }[] = [];
  let top = 0;
  for (const { id, group } of grouped) {
    if (isGrouped && days.at(-1)?.name !== group) {
      days.push({ name: group, top });
      top += HEIGHT.day;
    }
    rows.push({ id, top });
    top += HEIGHT.row;
  }
  return { rows, days, height: top };
});

/** Those of the items that are in view, or near it. */
export function near<I extends { readonly top: number }>(items: readonly I[], from: number, height: number): I[] {
  const margin = 8 * HEIGHT.row;
  return items.filter(({ top }) => top > from - margin - HEIGHT.row && top < from + height + margin);
}

/** Scrolls a row into view, by the smallest distance. */
export function showRow(scroller: HTMLElement | null, id: string | null): void {
  const top = listLayout.peek().rows.find((row) => row.id === id)?.top;
  if (scroller === null || top === undefined) return;
  scroller.scrollTop = Math.max(top + HEIGHT.row - scroller.clientHeight, Math.min(top, scroller.scrollTop));
}

function groupOf(id: string): string {
  if (conversationSignal(id)?.peek().state === 'needs-me') return 'Needs you';
  return dayName(sinceOf(id), today.value);
}
