import { type Signal, signal } from '@preact/signals';

/** Whether requests are announced by notifications of the system, and by a sound. Kept in this browser. */
export const notificationsOn: Signal<boolean> = kept('coxswain-notifications');
export const soundOn: Signal<boolean> = kept('coxswain-sound');

function kept(key: string): Signal<boolean> {
  const value = signal(read(key));
  value.subscribe((on) => {
    try {
      if (on) localStorage.setItem(key, 'on');
      else localStorage.removeItem(key);
    } catch {
      // Storage is disabled: the choice lasts until the page is closed.
    }
  });
  return value;
}

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) === 'on';
  } catch {
    return false; // storage is disabled
  }
}
