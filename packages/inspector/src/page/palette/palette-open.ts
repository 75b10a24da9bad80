import { signal } from '@preact/signals';

/** Whether the palette is shown. */
export const paletteOpen = signal(false);
