import type { ComponentChild } from 'preact';
import { Icon } from '../layout/icon.tsx';
import { filterCounts, listLoaded } from '../sessions/conversations.ts';

/** On a phone, above the list: the counts of the first page, with a link to it. */
export function HomeLink(): ComponentChild {
  if (!listLoaded.value || filterCounts.value.all === 0) return null;
  const { running, failed, 'needs-me': needs } = filterCounts.value;
  return (
    <a class="home-link small numbers only-narrow" href="#/home">
      <span class="grow">{[`${needs} need you`, `${running} running`, `${failed} failed`].join(' · ')}</span>
      <Icon name="chevron" />
    </a>
  );
}
