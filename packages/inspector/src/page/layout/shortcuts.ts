import { cardKey } from '../needs/card-keys.ts';

const handlers = new Map<string, (() => void)[]>();

/** Calls a function when a key is pressed outside of text fields; the newest handler of a key wins. Returns what removes it. */
export function onKey(key: string, handle: () => void): () => void {
  const list = handlers.get(key) ?? [];
  list.push(handle);
  handlers.set(key, list);
  return () => {
    list.splice(list.indexOf(handle), 1);
  };
}

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target instanceof Element && takesKeys(event.target, event.key)) return;
  // What is behind an open menu does not get its keys.
  if (document.querySelector('.menu-items') !== null) return;
  const handle = handlers.get(event.key)?.at(-1);
  if (cardKey(event.key)) event.preventDefault();
  else if (handle !== undefined) {
    event.preventDefault();
    handle();
  }
});

const TEXT_FIELDS = 'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';

/** Text fields take all keys, and buttons and links take those that activate them. */
function takesKeys(target: Element, key: string): boolean {
  if (target.closest('dialog[open]') !== null) return true;
  if (target.closest(TEXT_FIELDS) !== null) return key !== 'Escape';
  return (key === ' ' || key === 'Enter') && target.closest('button, a, [tabindex="0"]') !== null;
}
