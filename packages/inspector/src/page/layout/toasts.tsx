import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { RequestError } from '../connection/http.ts';
import { visible } from '../text/visible.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly icon: 'done' | 'warning' | 'failed';
  /** A text of the person that was not sent. */
  readonly unsent?: string;
}

const SHOWN_MS = 6_000;
const toasts = signal<readonly Toast[]>([]);
let nextId = 1;

/** Shows a message for a few seconds: something was done, or, with `warning`, was not. */
export function notify(text: string, icon: 'done' | 'warning' = 'done'): void {
  add(text, icon);
}

/** Shows an error until it is closed. */
export function notifyFailure(text: string): void {
  add(text, 'failed');
}

/** Shows a text that a person has typed in vain, until it is closed. */
export function notifyUnsent(words: string, unsent: string): void {
  add(words, 'failed', unsent);
}

/** Runs an action and shows its error if it fails. Resolves with whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    notifyFailure(error.message);
    return false;
  }
}

/** The messages in the corner. */
export function Toasts(): ComponentChild {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class="toast new-row">
          <Icon name={toast.icon} />
          <div class="grow">
            {visible(toast.text)}
            {toast.unsent === undefined ? null : <Unsent text={toast.unsent} />}
          </div>
          <button
            type="button"
            class="button button-plain button-icon"
            aria-label="Close this message"
            onClick={() => remove(toast.id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

function Unsent({ text }: { readonly text: string }): ComponentChild {
  return (
    <div class="code unsent">
      <CopyButton text={text} label="Copy what you typed" />
      <pre>{visible(text)}</pre>
    </div>
  );
}

function add(text: string, icon: Toast['icon'], unsent?: string): void {
  const toast = { id: nextId++, text, icon, ...(unsent !== undefined && { unsent }) };
  // Repeating a key repeats its warning only once; decisions are shown for each request.
  const others = toasts.value.filter((other) => icon !== 'warning' || other.text !== text);
  toasts.value = [...others.slice(-3), toast];
  if (icon !== 'failed') setTimeout(() => remove(toast.id), SHOWN_MS);
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
