import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { Icon } from './icon.tsx';

/** Copies a text and confirms it briefly. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ComponentChild {
  const copied = useSignal(false);
  const copy = async (): Promise<void> => {
    // Without HTTPS or localhost, the clipboard is not available; the text can still be selected.
    await navigator.clipboard?.writeText(text).then(
      () => {
        copied.value = true;
        setTimeout(() => {
          copied.value = false;
        }, 1_500);
      },
      () => {},
    );
  };
  return (
    <button
      type="button"
      class="button button-plain button-icon copy"
      aria-label={copied.value ? 'Copied' : label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={copied.value ? 'done' : 'copy'} />
    </button>
  );
}
