import { lazyPart } from '../layout/lazy.tsx';
import { paletteOpen } from './palette-open.ts';

/** The palette, loaded on first use. */
export const Palette = lazyPart(
  () => import('./palette.tsx').then((module) => module.Palette),
  () => null,
);

document.addEventListener('keydown', (event) => {
  // The dialog closes itself, but not while it is still being loaded.
  if (event.key === 'Escape') paletteOpen.value = false;
  if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  paletteOpen.value = !paletteOpen.peek();
});
