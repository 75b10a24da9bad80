import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';

/** A button for what cannot be undone: it needs a second click. */
export function ConfirmButton({
  name,
  label,
  question,
  about,
  disabled = false,
  onConfirm,
}: {
  /** The CSS classes. */
  readonly name: string;
  readonly label: string;
  /** The label before the second click. */
  readonly question: string;
  /** What it is about, for screen readers. */
  readonly about?: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}): ComponentChild {
  const asked = useSignal(false);
  const words = asked.value ? question : label;
  return (
    <button
      type="button"
      class={name}
      aria-label={about === undefined ? undefined : `${words}: ${about}`}
      disabled={disabled}
      onBlur={() => (asked.value = false)}
      onClick={(event) => {
        // The second click of a double click does not count.
        if (asked.value && event.detail < 2) return onConfirm();
        // A menu stays open.
        event.stopPropagation();
        asked.value = true;
      }}
    >
      {words}
    </button>
  );
}
