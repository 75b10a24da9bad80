import type { ComponentChild, ComponentChildren, RefObject } from 'preact';

/** A region that scrolls, also by keyboard: it is focusable and has a name. */
export function ScrollRegion({
  name,
  label,
  dir,
  box,
  onScroll,
  children,
}: {
  /** The CSS class. */
  readonly name: string;
  readonly label: string;
  /** Code is always left to right. */
  readonly dir?: 'ltr';
  readonly box?: RefObject<HTMLDivElement | null>;
  readonly onScroll?: () => void;
  readonly children: ComponentChildren;
}): ComponentChild {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: needed for scrolling by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms, and a section would be a landmark
    <div ref={box ?? null} class={name} role="group" aria-label={label} dir={dir} tabIndex={0} onScroll={onScroll}>
      {children}
    </div>
  );
}
