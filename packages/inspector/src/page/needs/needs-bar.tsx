import type { ComponentChild } from 'preact';
import { Icon } from '../layout/icon.tsx';
import { route } from '../route.ts';
import { visible } from '../text/visible.ts';
import { approvals } from './approvals.ts';

/** The bar above every view: how much waits for a person, and what waits longest. */
export function NeedsBar(): ComponentChild {
  const [first] = approvals.value;
  if (first === undefined || route.value.view === 'needs') return null;
  const waiting = approvals.value.length;
  return (
    <a class="needs-bar" href="#/needs">
      <Icon name="needs-me" />
      <strong class="numbers">{waiting === 1 ? '1 needs you' : `${waiting} need you`}</strong>
      <span class="cut grow">
        {first.kind === 'question' ? 'A question' : visible(first.tool)}
        {first.argument === '' ? '' : `: ${visible(first.argument)}`}
      </span>
      <span class="needs-review">
        Review <kbd>n</kbd>
      </span>
    </a>
  );
}
