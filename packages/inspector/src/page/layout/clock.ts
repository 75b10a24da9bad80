import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';

/** The time, updated every second, so that ages on the page change together. It stops while the tab is hidden. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

/** The time that a transcript shows: now, or the moment of a replay. */
export const ShownTime = createContext<ReadonlySignal<number>>(now);
