import { type ReadonlySignal, signal } from '@preact/signals';
import { TEXT_FIELDS } from '../layout/text-fields.ts';
import { notify } from '../layout/toasts.tsx';
import { type CardPlace, SETTLE_MS, type View } from './card-place.ts';

/** What the keys can do with a card. */
export interface CardActions {
  allow(scope: 'once' | 'session'): void;
  deny(): void;
  edit(): void;
  /** Chooses an option of a question by its number; returns false if the option does not exist. */
  choose(option: number): boolean;
  /** Answers a question; returns false if the card has none. */
  submit(): boolean;
}

/** A card on the page. */
interface CardKeys {
  readonly id: string;
  readonly place: CardPlace;
  readonly actions: () => CardActions;
}

/** In page order, once the newest cards are sorted in. */
const cards: CardKeys[] = [];
const marked = signal<string | null>(null);
/** Keys pressed before this time are ignored: they were meant for another window, or for the card that was marked before. */
let keysFrom = 0;
/** The card after a removed one. A card in another view is a different one, even for the same request. */
let follower: CardKeys | null = null;

/** The card that the keys act on; `null` if no card is sufficiently in view. */
export const markedCard: ReadonlySignal<string | null> = marked;

/** Adds a card; returns a function that removes it. */
export function registerCard(card: CardKeys): () => void {
  cards.push(card);
  const { element } = card.place;
  const around = element.parentElement;
  sizes.observe(element);
  if (around !== null) sizes.observe(around);
  remarkSoon();
  return () => {
    const at = cards.indexOf(card);
    cards.splice(at, 1);
    sizes.unobserve(element);
    if (around !== null && !cards.some(({ place }) => around.contains(place.element))) sizes.unobserve(around);
    if (marked.peek() !== card.id || cards.some(({ id }) => id === card.id)) return;
    // The next card, or else the last one, so that the person continues at the same position.
    follower = cards[at] ?? cards.at(-1) ?? null;
    mark(null);
    remarkSoon();
  };
}

/** Handles the keys of cards; returns true if the key is one of them and a card is in view. */
export function cardKey(key: string): boolean {
  if (!/^(?:[asde1-9]|Enter|Arrow\w+)$/.test(key) || cards.length === 0) return false;
  const card = inSight().find(({ id }) => id === marked.peek());
  if (card === undefined) {
    remark();
    return isLetter(key) && refuseUnseen();
  }
  if (key.startsWith('Arrow')) return move(key === 'ArrowDown' || key === 'ArrowRight' ? 1 : -1);
  if (performance.now() < keysFrom || !card.place.isSettled()) return true;
  const actions = card.actions();
  if (key === 'a') actions.allow('once');
  else if (key === 's') actions.allow('session');
  else if (key === 'd') actions.deny();
  else if (key === 'e') actions.edit();
  else return key === 'Enter' ? actions.submit() : actions.choose(Number(key));
  return true;
}

/** Marks a card that a person points at or has focused. */
export function markCard(id: string): void {
  const card = cards.find((each) => each.id === id);
  if (card?.place.isInSight()) mark(id);
}

/** Makes cards ignore clicks for a moment after they moved under the finger. */
export function settleCards(): void {
  for (const { place } of cards) place.settleAgain();
}

function isLetter(key: string): boolean {
  return /^[asde]$/.test(key);
}

function refuseUnseen(): boolean {
  if (!cards.some(({ place }) => place.isRendered()) || marked.peek() !== null) return false;
  notify('Nothing was done: no request is in view. Scroll until one is marked.', 'warning');
  return true;
}

/** Computes the view once per list: there may be many cards, but few lists. */
function inSight(): readonly CardKeys[] {
  const views = new Map<Element | null, View>();
  return cards.filter(({ place }) => {
    const list = place.element.parentElement;
    const view = views.get(list) ?? place.view();
    views.set(list, view);
    return place.isInSight(view);
  });
}

function mark(id: string | null): void {
  if (marked.peek() === id) return;
  marked.value = id;
  keysFrom = performance.now() + SETTLE_MS;
}

let isRemarking = false;

/** Updates the mark once for all cards that are added or removed together, after the change. */
function remarkSoon(): void {
  if (isRemarking) return;
  isRemarking = true;
  queueMicrotask(() => {
    isRemarking = false;
    cards.sort(inPageOrder);
    remark();
  });
}

/** Keeps the mark on a card in view. */
function remark(): void {
  for (const { place } of cards) place.look();
  const seen = inSight();
  if (seen.some(({ id }) => id === marked.peek())) return;
  const next = seen.find((card) => card === follower);
  follower = null;
  mark((next ?? nearest(seen))?.id ?? null);
}

/** The card with the focus, or else the one at a line that moves through the view as the list is scrolled. */
function nearest(seen: readonly CardKeys[]): CardKeys | undefined {
  const focused = seen.find(({ place }) => place.element.contains(document.activeElement));
  if (focused !== undefined || seen[0] === undefined) return focused;
  const { top, bottom } = seen[0].place.view();
  const line = top + (bottom - top) * seen[0].place.progress();
  const distance = ({ place }: CardKeys): number => {
    const edges = place.element.getBoundingClientRect();
    return Math.max(0, edges.top - line, line - edges.bottom);
  };
  return seen.reduce((best, card) => (distance(card) < distance(best) ? card : best));
}

function move(by: 1 | -1): boolean {
  const shown = cards.filter(({ place }) => place.isRendered());
  if (shown.length < 2) return false;
  const at = shown.findIndex(({ id }) => id === marked.peek());
  const next = shown[(at + by + shown.length) % shown.length];
  next?.place.element.focus({ preventScroll: true });
  next?.place.element.scrollIntoView({ block: 'nearest' });
  if (next !== undefined) mark(next.id);
  return true;
}

function inPageOrder(a: CardKeys, b: CardKeys): number {
  const [first, second] = [a.place.element, b.place.element];
  return first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

const sizes = new ResizeObserver(remark);
addEventListener('resize', remark);

document.addEventListener(
  'scroll',
  ({ target }) => {
    for (const { place } of cards) place.look();
    // Ignores scrolling inside a card.
    if (target instanceof Node && cards.some(({ place }) => target.contains(place.element))) {
      mark(nearest(inSight())?.id ?? null);
    }
  },
  { capture: true, passive: true },
);

/** Last position of the pointer: browsers report a movement even when a card moves under a resting pointer, which does not mark it. */
let pointer: readonly [number, number] | null = null;
document.addEventListener('pointermove', ({ target, screenX, screenY, pointerType }) => {
  const hasMoved = pointer !== null && (pointer[0] !== screenX || pointer[1] !== screenY);
  pointer = [screenX, screenY];
  const card = hasMoved && pointerType !== 'touch' && target instanceof Element ? target.closest('.card') : null;
  const over = cards.find(({ place }) => place.element === card);
  if (over !== undefined && !isTyping()) markCard(over.id);
});

/** Whether a person is typing in a form of the marked card. */
function isTyping(): boolean {
  const typing = cards.find(({ id }) => id === marked.peek())?.place.element.querySelector(':focus');
  return typing?.matches(TEXT_FIELDS) === true;
}

addEventListener('focus', () => {
  keysFrom = performance.now() + SETTLE_MS;
});

// Cards that were added while the tab was hidden appear to the person only now.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) settleCards();
});
