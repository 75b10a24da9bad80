import type { ComponentChild } from 'preact';
import { Menu } from '../layout/menu.tsx';
import { attempt, notify, notifyFailure } from '../layout/toasts.tsx';
import { allowNotifications, notificationProblem } from './notifications.ts';
import { startPush, stopPush } from './push.ts';
import { notificationsOn, soundOn } from './settings.ts';
import { playSound } from './sound.ts';

/** How requests reach a person who does not look at the page. */
export function ReachMenu(): ComponentChild {
  const on = notificationsOn.value;
  return (
    <Menu label="Notifications" icon="bell">
      <button type="button" class="button" aria-pressed={on} onClick={() => void attempt(on ? stop : start)}>
        {on ? 'Stop the notifications' : 'Notify me of requests'}
      </button>
      <button
        type="button"
        class="button"
        aria-pressed={soundOn.value}
        onClick={() => {
          soundOn.value = !soundOn.value;
          if (soundOn.value) playSound();
        }}
      >
        {soundOn.value ? 'Stop the sound' : 'Play a sound'}
      </button>
    </Menu>
  );
}

async function start(): Promise<void> {
  if (!(await allowNotifications())) {
    notify(notificationProblem() ?? 'Notifications were not allowed.', 'warning');
    return;
  }
  notificationsOn.value = true;
  try {
    await startPush();
  } catch (error) {
    // The service of the browser may be unreachable; notifications of an open page need none.
    if (!(error instanceof DOMException)) throw error;
    notifyFailure('Notifications work while this page is open: the push service of the browser could not be reached.');
    return;
  }
  notify('You are notified of requests while you do not look at this page.');
}

async function stop(): Promise<void> {
  notificationsOn.value = false;
  await stopPush();
}
