import { signal } from '@preact/signals';
import type { Entries } from '../transcript/entries.ts';

/** The transcript in the middle column; events about it go there. */
export const openTranscript = signal<Entries | null>(null);
