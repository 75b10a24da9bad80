import { effect } from '@preact/signals';
import { noticeOf } from '../../push/notice.ts';
import iconIdle from '../icon.svg?url';
import iconWaiting from '../icon-waiting.svg?url';
import { approvalCount, approvals } from '../needs/approvals.ts';
import { listLoaded } from '../sessions/conversations.ts';

import { followNotifications, hideNotice, showNotice } from './notifications.ts';
import { notificationsOn, soundOn } from './settings.ts';
import { playSound } from './sound.ts';

/** Announces requests outside of the page: title, favicon, app badge and, if a person has chosen them, notifications and a sound. */
export function announceRequests(): void {
  followNotifications();
  effect(() => showCount(approvalCount.value));
  /** The requests of before; `null` until the first ones are known, which are no news. */
  let known: ReadonlySet<string> | null = null;
  effect(() => {
    const open = approvals.value;
    if (!listLoaded.value) return;
    const before = known;
    known = new Set(open.map(({ id }) => id));
    if (before === null) return;
    const fresh = open.filter(({ id }) => !before.has(id));
    for (const id of before) if (!known.has(id)) hideNotice(id);
    if (notificationsOn.peek() && !document.hasFocus()) for (const approval of fresh) showNotice(noticeOf(approval));
    if (fresh.length > 0 && soundOn.peek()) playSound();
  });
}

/** The number of waiting requests: in the title of the tab, as a dot on its icon, and on the icon of an installed app. */
function showCount(waiting: number): void {
  document.title = waiting === 0 ? 'Coxswain' : `(${waiting}) Coxswain`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon !== null) icon.href = waiting === 0 ? iconIdle : iconWaiting;
  // Not every browser has badges; one that does may refuse them.
  navigator.setAppBadge?.(waiting).catch(() => {});
}
