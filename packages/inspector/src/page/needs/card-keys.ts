import { signal } from '@preact/signals';
import { settleAgain } from './approvals.ts';

/** What the keys can do with a card on the page. */
export interface CardKeys {
  readonly id: string;
  readonly element: () => HTMLElement | null;
  readonly allow: (scope: 'once' | 'session') => void;
  readonly deny: () => void;
  readonly edit: () => void;
}

const cards: CardKeys[] = [];

/** The card that the keys act on; `null` means the first one on the page. */
export const activeCard = signal<string | null>(null);

/** Adds a card; returns what removes it. */
export function registerCard(card: CardKeys): () => void {
  cards.push(card);
  cards.sort(inPageOrder);
  if (!cards.some(({ id }) => id === activeCard.peek())) activeCard.value = cards[0]?.id ?? null;
  return () => {
    const at = cards.indexOf(card);
    cards.splice(at, 1);
    if (activeCard.peek() !== card.id) return;
    // The next one, else the last: the person goes on where they were.
    const next = cards[at] ?? cards.at(-1);
    activeCard.value = next?.id ?? null;
    if (next !== undefined) settleAgain(next.id);
  };
}

/** Handles `a`, `s`, `d`, `e` and the arrows; returns whether the key was one of them and a card is in sight. */
export function cardKey(key: string): boolean {
  const card = cardsInSight().find(({ id }) => id === activeCard.peek());
  if (card === undefined) return false;
  if (key === 'a') card.allow('once');
  else if (key === 's') card.allow('session');
  else if (key === 'd') card.deny();
  else if (key === 'e') card.edit();
  else if (key === 'ArrowDown' || key === 'ArrowRight') return move(1);
  else if (key === 'ArrowUp' || key === 'ArrowLeft') return move(-1);
  else return false;
  return true;
}

/** Narrow pages hide cards beside the list and folded ones, and cover them with the details: nobody decides what they do not see. */
function cardsInSight(): readonly CardKeys[] {
  if (isRendered(document.querySelector('.backdrop'))) return [];
  return cards.filter(({ element }) => isRendered(element()));
}

function isRendered(element: Element | null): boolean {
  return element !== null && element.getClientRects().length > 0;
}

function move(by: 1 | -1): boolean {
  const seen = cardsInSight();
  if (seen.length < 2) return false;
  const at = seen.findIndex(({ id }) => id === activeCard.peek());
  const next = seen[(at + by + seen.length) % seen.length];
  activeCard.value = next?.id ?? null;
  next?.element()?.focus();
  next?.element()?.scrollIntoView({ block: 'nearest' });
  return true;
}

function inPageOrder(a: CardKeys, b: CardKeys): number {
  const [first, second] = [a.element(), b.element()];
  if (first === null || second === null) return 0;
  return first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}
