import { signal } from '@preact/signals';
import { lazyPart } from '../layout/lazy.tsx';

/** Whether the palette is shown. */
export const paletteOpen = signal(false);

/** The palette, loaded on first use. */
export const Palette = lazyPart(
  () => import('./palette.tsx').then((module) => module.Palette),
  () => null,
);

document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  paletteOpen.value = !paletteOpen.peek();
});
