import type { RefObject } from 'preact';
import { onKey } from '../layout/shortcuts.ts';
import type { VirtualList } from './virtual-list.tsx';

/** Registers the keys of the transcript; returns a function that removes them. */
export function transcriptKeys(list: RefObject<VirtualList | null>): () => void {
  const removes = [
    onKey('G', () => list.current?.toEnd()),
    onKey('g', () => list.current?.toRow(0)),
    onKey(' ', () => list.current?.page(1)),
    onKey('b', () => list.current?.page(-1)),
  ];
  return () => {
    for (const remove of removes) remove();
  };
}
