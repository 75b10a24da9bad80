import type { Conversation } from '../api.ts';
import { dayOf } from '../stats/aggregates.ts';
import { mentions } from './mentions.ts';

/** The filter of a list. Empty fields do not filter. */
export interface ListFilter {
  readonly states: readonly string[];
  readonly outcomes: readonly string[];
  /** Words in the title, the key, the file of a recording, the model, the folder or the session id. */
  readonly q: string;
  readonly key: string;
  readonly model: string;
  readonly source: string;
  readonly day: string;
}

export function matches(
  conversation: Conversation,
  { states, outcomes, q, key, model, source, day }: ListFilter,
): boolean {
  if (outcomes.length > 0 && !outcomes.includes(conversation.outcome ?? '')) return false;
  if (states.length > 0 && !states.includes(conversation.state)) return false;
  if (key !== '' && conversation.key !== key) return false;
  if (model !== '' && conversation.model !== model) return false;
  if (source !== '' && conversation.source !== source) return false;
  if (day !== '' && !isOfDay(conversation, day)) return false;
  return mentions(conversation, q);
}

/** Compares days as text: their format sorts. */
function isOfDay({ startedAt, updatedAt }: Conversation, day: string): boolean {
  return dayOf(startedAt ?? updatedAt) <= day && day <= dayOf(updatedAt);
}
