import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type CardActions, registerCard } from './card-keys.ts';
import { CardPlace } from './card-place.ts';

/** Follows where a card is on the page, and lets the keys act on it. */
export function useCard(
  id: string,
  root: RefObject<HTMLElement | null>,
  actions: CardActions,
): RefObject<CardPlace | null> {
  const place = useRef<CardPlace>(null);
  const latest = useRef(actions);
  latest.current = actions;
  // Keys that are pressed at once are not lost.
  useLayoutEffect(() => {
    if (root.current === null) return;
    place.current = new CardPlace(root.current);
    return registerCard({ id, place: place.current, actions: () => latest.current });
  }, [id]);
  return place;
}
