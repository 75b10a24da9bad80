import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { Icon } from './icon.tsx';

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ComponentChild {
  const copied = useSignal(false);
  const copy = async (): Promise<void> => {
    // Without https and localhost there is no clipboard; the text can still be selected.
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
