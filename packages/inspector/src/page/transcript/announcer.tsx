import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { Entry, ServerEvent } from '../../api.ts';
import { visible } from '../text/visible.ts';

const SPOKEN = 4;
const lines = signal<readonly { readonly key: string; readonly text: string }[]>([]);

/** Announces what is new: finished answers, ended tools, errors and approvals. Scrolling announces nothing. */
export function announce(event: ServerEvent): void {
  if (event.type === 'entry') {
    const text = spoken(event.entry);
    if (text !== '') add(`${event.conversation}-${event.entry.n}`, text);
  } else if (event.type === 'approval') {
    add(event.approval.id, `${event.approval.tool} needs your decision: ${event.approval.argument}`);
  }
}

/** The live region for screen readers. */
export function Announcer(): ComponentChild {
  return (
    <div class="hidden-visually" role="log" aria-live="polite" aria-label="Updates">
      {lines.value.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}

function add(key: string, text: string): void {
  const cut = visible(text).slice(0, 300);
  lines.value = [...lines.value.filter((line) => line.key !== key), { key, text: cut }].slice(-SPOKEN);
}

function spoken(entry: Entry): string {
  if (entry.kind === 'text') return entry.streaming ? '' : entry.text.text;
  if (entry.kind === 'tool')
    return entry.state === 'running' || entry.state === 'asking' ? '' : `${entry.name} ${entry.state}`;
  if (entry.kind === 'error') return `Error: ${entry.message}`;
  return '';
}
