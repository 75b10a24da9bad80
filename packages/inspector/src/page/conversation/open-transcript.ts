import { signal } from '@preact/signals';
import type { Entries } from '../transcript/entries.ts';

/** The transcript in the middle column, which receives its events. */
export const openTranscript = signal<Entries | null>(null);
