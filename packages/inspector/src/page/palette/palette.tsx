import '../styles/palette.css';
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Conversation, ConversationsPage } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { serverInfo } from '../connection/server-info.ts';
import { now } from '../layout/clock.ts';
import { attempt } from '../layout/toasts.tsx';
import { takeConversation } from '../sessions/conversations.ts';
import { choicesFor } from './choices.ts';
import { paletteOpen } from './palette-open.ts';

const CONVERSATIONS = 8;

/** A field that goes to a conversation or a view, or searches all transcripts. */
export function Palette(): ComponentChild {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const chosen = useSignal(0);
  const found = useSignal<readonly Conversation[]>([]);
  const read = useMemo(() => inRequestOrder<ConversationsPage>((page) => (found.value = page.conversations)), []);
  // A layout effect: keys pressed right after Ctrl+K, before the next paint, already belong to the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  useEffect(() => {
    const url = `api/conversations?limit=${CONVERSATIONS}&q=${encodeURIComponent(text.value.trim())}`;
    void attempt(() => read(() => getJson(url)));
  }, [text.value]);
  const choices = choicesFor(text.value, found.value, serverInfo.value, now.peek());
  const at = Math.min(chosen.value, choices.length - 1);
  const close = (): void => {
    paletteOpen.value = false;
  };
  const go = (href: string): void => {
    // Links name the session of a conversation, which must be known.
    for (const conversation of found.value) takeConversation(conversation);
    close();
    location.hash = href;
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to" onClose={close}>
      <input
        type="text"
        class="field"
        dir="auto"
        role="combobox"
        aria-label="Go to a conversation or a view, or search"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-activedescendant={at === -1 ? undefined : `palette-${at}`}
        placeholder="Go to, or search transcripts"
        autoFocus
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          const choice = choices[at];
          if (step !== undefined) chosen.value = (at + step + choices.length) % choices.length;
          else if (event.key === 'Enter' && choice !== undefined) go(choice.href);
          else return;
          event.preventDefault();
        }}
      />
      <div class="palette-choices" role="listbox" id="palette-choices" aria-label="Choices">
        {choices.map(({ href, title, note }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={href}
            id={`palette-${index}`}
            class="palette-choice"
            role="option"
            aria-selected={index === at}
            onPointerMove={() => (chosen.value = index)}
            onClick={() => go(href)}
          >
            <span class="cut grow" dir="auto">
              {title}
            </span>
            <span class="small quiet">{note}</span>
          </div>
        ))}
      </div>
    </dialog>
  );
}
