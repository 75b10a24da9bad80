import type { Conversation, ServerInfo } from '../../api.ts';
import { mentions } from '../../conversations/mentions.ts';
import { linkToConversation, linkToSearch } from '../route.ts';
import { age, folderName } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** One line of the palette. */
export interface Choice {
  readonly href: string;
  readonly title: string;
  readonly note: string;
}

const VIEWS: readonly (readonly [href: string, title: string])[] = [
  ['#/home', 'Home'],
  ['#/needs', 'What needs you'],
  ['#/costs', 'Costs'],
  ['#/audit', 'Audit'],
];

/** What a text may lead to: conversations, views, and a search in all transcripts. */
export function choicesFor(
  text: string,
  conversations: readonly Conversation[],
  info: ServerInfo | null,
  now: number,
): readonly Choice[] {
  const words = text.trim().toLowerCase();
  const views = [...VIEWS, ...(info?.has.queues ? ([['#/queues', 'Queues']] as const) : [])];
  // The list may be that of an earlier text.
  const found = conversations
    .filter((each) => mentions(each, words))
    .map(({ id, title, cwd, updatedAt }) => ({
      href: linkToConversation(id),
      title: visible(title) || 'Untitled conversation',
      note: [visible(folderName(cwd)), age(updatedAt, now)].filter(Boolean).join(' · '),
    }));
  const matching = views
    .filter(([, title]) => title.toLowerCase().includes(words))
    .map(([href, title]) => ({ href, title, note: 'view' }));
  const search = { href: linkToSearch(text.trim()), title: `“${visible(text.trim())}”`, note: 'search transcripts' };
  return [...found, ...matching, ...(words === '' ? [] : [search])];
}
