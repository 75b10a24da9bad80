import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { onKey } from './shortcuts.ts';

/** Whether the list of keys is shown. */
export const helpOpen = signal(false);

const KEYS: readonly (readonly [string, string])[] = [
  ['j k', 'next and previous conversation'],
  ['/', 'search'],
  ['⌘K Ctrl+K', 'go to a conversation or a view, or search'],
  ['n', 'what needs you'],
  ['f', 'the next conversation that has failed'],
  ['a s d e', 'allow once, allow for the session, deny, edit: the marked request'],
  ['1–9 ↵', 'choose an option of a question; answer it'],
  ['← →', 'previous and next request'],
  ['i', 'write a prompt'],
  ['x', 'interrupt the running turn'],
  ['g G', 'start and end of the transcript'],
  ['space b', 'a page down, a page up'],
  [']', 'details'],
  ['p', 'play or pause a replay'],
  ['?', 'this list'],
];

/** The list of keys. */
export function Help(): ComponentChild {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => onKey('?', () => (helpOpen.value = true)), []);
  useEffect(() => {
    if (helpOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [helpOpen.value]);
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => (helpOpen.value = false)}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, meaning]) => (
          <Key key={keys} keys={keys} meaning={meaning} />
        ))}
      </dl>
      <button type="button" class="button" onClick={() => (helpOpen.value = false)}>
        Close
      </button>
    </dialog>
  );
}

function Key({ keys, meaning }: { readonly keys: string; readonly meaning: string }): ComponentChild {
  return (
    <>
      <dt>
        {keys.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{meaning}</dd>
    </>
  );
}
