import type { ComponentChild, ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

/** On narrow pages: the link back to the list. */
export function BackToList(): ComponentChild {
  return (
    <a class="button button-plain button-icon only-narrow" href="#/" aria-label="Back to the list">
      <Icon name="back" />
    </a>
  );
}

/** The header of a view other than a conversation. */
export function ViewHead({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note: string;
  readonly children?: ComponentChildren;
}): ComponentChild {
  return (
    <header class="head">
      <BackToList />
      <div class="grow">
        <h2 class="cut" dir="auto">
          {title}
        </h2>
        <p class="head-note small quiet">{note}</p>
      </div>
      {children}
    </header>
  );
}
