import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { RequestError } from '../connection/http.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly icon: 'done' | 'warning' | 'failed';
}

const SHOWN_MS = 6_000;
const toasts = signal<readonly Toast[]>([]);
let nextId = 1;

/** Says that something was done, or with `warning` that it was not; disappears after a while. */
export function say(text: string, icon: 'done' | 'warning' = 'done'): void {
  add(text, icon);
}

/** Says that something could not be done; stays until it is closed. */
export function sayFailure(text: string): void {
  add(text, 'failed');
}

/** Does something and says so if it fails. Resolves to whether it worked. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    sayFailure(error.message);
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
          <span class="grow">{toast.text}</span>
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

function add(text: string, icon: Toast['icon']): void {
  const toast = { id: nextId++, text, icon };
  // A key that is pressed again and again needs one warning; what was decided is shown for each request.
  const others = toasts.value.filter((other) => icon !== 'warning' || other.text !== text);
  toasts.value = [...others.slice(-3), toast];
  if (icon !== 'failed') setTimeout(() => remove(toast.id), SHOWN_MS);
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
