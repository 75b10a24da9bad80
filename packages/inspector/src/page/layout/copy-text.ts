import { notify } from './toasts.tsx';

/** Copies a text and shows `done`; without a clipboard, which needs HTTPS or localhost, shows `otherwise`. */
export async function copyText(text: string, done: string, otherwise: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(done);
  } catch {
    notify(otherwise, 'warning');
  }
}
