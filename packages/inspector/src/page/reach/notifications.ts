import type { Notice } from '../../push/notice.ts';
import { visible } from '../text/visible.ts';

/** Why notifications are not possible here, in words; `null` if they are. */
export function notificationProblem(): string | null {
  if (!window.isSecureContext) return 'Notifications need HTTPS or localhost.';
  if (!('Notification' in window) || !('serviceWorker' in navigator)) return 'This browser has no notifications.';
  return Notification.permission === 'denied' ? 'The browser blocks notifications of this page.' : null;
}

/** Asks the browser for permission, and starts the worker that shows notifications. Resolves with whether it is allowed. */
export async function allowNotifications(): Promise<boolean> {
  if (notificationProblem() !== null || (await Notification.requestPermission()) !== 'granted') return false;
  await worker();
  return true;
}

/** The worker that shows notifications, also while the page is closed. */
export async function worker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register('./sw.js');
  return navigator.serviceWorker.ready;
}

/** Opens the request of a notification that was clicked. */
export function followNotifications(): void {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ readonly view?: unknown }>) => {
    if (typeof data?.view === 'string' && data.view.startsWith('#/')) location.hash = data.view;
  });
}

/** Shows a notification, if it is allowed. */
export function showNotice({ title, body, tag, view }: Notice): void {
  if (notificationProblem() !== null || Notification.permission !== 'granted') return;
  const content = { body: visible(body), tag, icon: './icon-192.png', data: { view } };
  worker().then(
    (registration) => registration.showNotification(visible(title), content),
    // The worker could not be started; title and icon show the request.
    () => {},
  );
}

/** Removes the notification of a request that no longer waits. */
export function hideNotice(tag: string): void {
  if (!('serviceWorker' in navigator)) return;
  void navigator.serviceWorker.getRegistration('./').then(async (registration) => {
    for (const notification of (await registration?.getNotifications({ tag })) ?? []) notification.close();
  });
}
