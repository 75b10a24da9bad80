import type { ComponentChild } from 'preact';

/** The number of added and removed lines. */
export function Size({ added, removed }: { readonly added: number; readonly removed: number }): ComponentChild {
  return (
    <span class="numbers small">
      <span class="diff-plus">+{added}</span> <span class="diff-minus">−{removed}</span>
    </span>
  );
}
