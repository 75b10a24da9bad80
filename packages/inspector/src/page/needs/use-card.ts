import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type CardActions, registerCard } from './card-keys.ts';
import { CardPlace } from './card-place.ts';

/** Tracks the position of a card on the page, and registers it for the keys. */
export function useCard(
  id: string,
  root: RefObject<HTMLElement | null>,
  actions: CardActions,
): RefObject<CardPlace | null> {
  const place = useRef<CardPlace>(null);
  const latest = useRef(actions);
  latest.current = actions;
  // A layout effect, so that keys pressed immediately are not lost.
  useLayoutEffect(() => {
    if (root.current === null) return;
    place.current = new CardPlace(root.current);
    return registerCard({ id, place: place.current, actions: () => latest.current });
  }, [id]);
  return place;
}
