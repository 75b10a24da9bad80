import { useSignal } from '@preact/signals';
import type { ComponentChild, ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/** A button that opens a short list of links and buttons. */
export function Menu({
  label,
  icon = 'more',
  children,
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}): ComponentChild {
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** Closes the menu. Its items are removed, so the focus moves to the button. */
  const leave = (): void => {
    if (root.current?.contains(document.activeElement)) button.current?.focus();
    open.value = false;
  };
  // A layout effect: Escape may be pressed before the menu is painted.
  useLayoutEffect(() => {
    if (!open.value) return;
    const close = (event: Event): void => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !root.current?.contains(event.target as Node))
        leave();
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [open.value]);
  return (
    <div class="menu" ref={root}>
      <button
        ref={button}
        type="button"
        class="button button-plain button-icon"
        aria-label={label}
        title={label}
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name={icon} />
      </button>
      {open.value ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on a button or a link inside
        // biome-ignore lint/a11y/noStaticElementInteractions: as above
        <div class="menu-items" onClick={leave}>
          {children}
        </div>
      ) : null}
    </div>
  );
}
