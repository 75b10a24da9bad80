/** Time after a card appears in which keys and clicks are ignored: they were meant for the content before it. */
export const SETTLE_MS = 300;
/** A card that moves less than this stays under the pointer. */
const MOVED_PX = 8;
/** Fraction of a card that must be visible before it can be decided, or of the screen if the card is taller. */
const IN_SIGHT = 0.6;

/** The part of the screen in which cards are visible. */
export interface View {
  readonly top: number;
  readonly bottom: number;
}

/** The position of a card, since when it is there, and whether it is in view. */
export class CardPlace {
  readonly element: HTMLElement;
  /** The element that scrolls it. */
  readonly #scroller: Element | null;
  #top = 0;
  #scrolled = 0;
  #since = performance.now();

  constructor(element: HTMLElement) {
    this.element = element;
    this.#scroller = element.closest('.view, .dock');
    this.#note();
  }

  /** Updates the position. A card that moved without scrolling may be where another one was. */
  look(): void {
    const [top, scrolled] = [this.#top, this.#scrolled];
    this.#note();
    const moved = this.#top - top;
    const unscrolled = moved + this.#scrolled - scrolled;
    if (Math.min(Math.abs(moved), Math.abs(unscrolled)) > MOVED_PX) this.settleAgain();
  }

  /** Restarts the delay: the content of the card changed, or it is shown again. */
  settleAgain(): void {
    this.#since = performance.now();
  }

  isSettled(): boolean {
    this.look();
    return performance.now() - this.#since >= SETTLE_MS;
  }

  /** A card that is outside the page, folded or covered must not be decided. */
  isInSight(view: View = this.view()): boolean {
    const { top, bottom, height } = this.element.getBoundingClientRect();
    const seen = Math.min(bottom, view.bottom) - Math.max(top, view.top);
    return height > 0 && seen > 0 && seen >= IN_SIGHT * Math.min(height, view.bottom - view.top);
  }

  isRendered(): boolean {
    return this.element.getClientRects().length > 0;
  }

  /** The area in which cards beside this one are also visible. */
  view(): View {
    let [top, bottom] = [0, isCovered() ? 0 : innerHeight];
    for (let box = this.element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowY === 'visible') continue;
      const edges = box.getBoundingClientRect();
      top = Math.max(top, edges.top);
      bottom = Math.min(bottom, edges.bottom);
    }
    return { top, bottom };
  }

  /** The scroll position of its list, from 0 to 1. */
  progress(): number {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = this.#scroller ?? {};
    return scrollHeight > clientHeight ? scrollTop / (scrollHeight - clientHeight) : 0;
  }

  #note(): void {
    this.#top = this.element.getBoundingClientRect().top;
    this.#scrolled = this.#scroller?.scrollTop ?? 0;
  }
}

function isCovered(): boolean {
  return [...document.querySelectorAll('.backdrop, dialog[open]')].some((cover) => cover.getClientRects().length > 0);
}
