import { signal } from '@preact/signals';

/** The time, to the second: ages on the page change together. It stands still while the tab is hidden. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
