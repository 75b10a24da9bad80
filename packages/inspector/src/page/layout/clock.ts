import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';

/** The time, to the second: ages on the page change together. It stands still while the tab is hidden. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

/** The time of what a transcript shows: now, or the moment of a recording that plays. */
export const ShownTime = createContext<ReadonlySignal<number>>(now);
