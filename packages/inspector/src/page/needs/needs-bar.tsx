import type { ComponentChild } from 'preact';
import { Icon } from '../layout/icon.tsx';
import { route } from '../route.ts';
import { visible } from '../text/visible.ts';
import { approvals } from './approvals.ts';

const WORDS: Readonly<Record<string, string>> = { question: 'A question', plan: 'A plan' };

/** The bar above every view: the number of waiting requests, and the oldest one. */
export function NeedsBar(): ComponentChild {
  const [first] = approvals.value;
  if (first === undefined || route.value.view === 'needs') return null;
  const waiting = approvals.value.length;
  return (
    <aside aria-label="Needs you">
      <a class="needs-bar" href="#/needs">
        <Icon name="needs-me" />
        <strong class="numbers">{waiting === 1 ? '1 needs you' : `${waiting} need you`}</strong>
        <span class="cut grow">
          {WORDS[first.kind] ?? visible(first.tool)}:{' '}
          {visible(first.kind === 'tool' ? first.argument : first.conversationTitle)}
        </span>
        <span class="needs-review">
          Review <kbd>n</kbd>
        </span>
      </a>
    </aside>
  );
}
