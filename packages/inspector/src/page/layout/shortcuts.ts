import { cardKey } from '../needs/card-keys.ts';
import { TEXT_FIELDS } from './text-fields.ts';

const handlers = new Map<string, (() => void)[]>();

/** Calls a function when a key is pressed outside text fields; the newest handler of a key wins. Returns a function that removes it. */
export function onKey(key: string, handle: () => void): () => void {
  const list = handlers.get(key) ?? [];
  list.push(handle);
  handlers.set(key, list);
  return () => {
    list.splice(list.indexOf(handle), 1);
  };
}

document.addEventListener('keydown', (event) => {
  if (isTyped(event)) return;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target instanceof Element && takesKeys(event.target, event.key)) return;
  // Keys for an open menu do not reach the page behind it.
  if (document.querySelector('.menu-items') !== null) return;
  const handle = handlers.get(event.key)?.at(-1);
  if (cardKey(event.key)) event.preventDefault();
  else if (handle !== undefined) {
    event.preventDefault();
    handle();
  }
});

/** Longest pause between two keys of one text. */
const PAUSE_MS = 1_000;
let typing: { readonly field: Element; readonly at: number } | null = null;

/**
 * Whether a key belongs to a text that a person was typing. A field may disappear while they type, because another person
 * answered its request; the following keys were meant for it and must not decide the next request.
 */
function isTyped({ target, key }: KeyboardEvent): boolean {
  const field = target instanceof Element ? target.closest(TEXT_FIELDS) : null;
  const at = performance.now();
  if (field !== null) typing = key === 'Enter' || key === 'Escape' ? null : { field, at };
  else if (typing?.field.isConnected === false && at - typing.at < PAUSE_MS) typing = { ...typing, at };
  else typing = null;
  return field === null && typing !== null;
}

document.addEventListener('pointerdown', () => {
  typing = null;
});

/** Elements that use the arrow keys: options, sliders, tabs, and scrollable parts of a card. */
const ARROW_USERS = 'input, [role="tab"], .card [tabindex="0"]';

/** Whether an element uses a key itself: text fields use all keys. */
function takesKeys(target: Element, key: string): boolean {
  if (target.closest('dialog[open]') !== null) return true;
  if (target.closest(TEXT_FIELDS) !== null) return key !== 'Escape';
  if (key.startsWith('Arrow') && target.closest(ARROW_USERS) !== null) return true;
  if (key === 'Enter') return target.closest('button, a') !== null;
  return key === ' ' && target.closest('button, a, input, [tabindex="0"]') !== null;
}
