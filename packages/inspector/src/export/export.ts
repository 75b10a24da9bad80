import type { Cut, Entry } from '../api.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import { wholeHunks } from '../diff/whole-hunks.ts';
import { spent } from '../page/text/format.ts';

/** Number of entries written at a time. */
const SLICE = 200;

/** A conversation as JSON: its summary and all entries. */
export async function* exportJson(record: ConversationRecord): AsyncGenerator<string> {
  const { actions: _, ...conversation } = record.summary();
  yield `{"conversation":${JSON.stringify(conversation)},"entries":[`;
  let separator = '';
  for await (const entry of wholeEntries(record)) {
    yield separator + JSON.stringify(entry);
    separator = ',\n';
  }
  yield ']}\n';
}

/** A conversation as Markdown for people. */
export async function* exportMarkdown(record: ConversationRecord): AsyncGenerator<string> {
  const { title, model, cost, startedAt, sessionId } = record.summary();
  yield `# ${title || 'Conversation'}\n\n`;
  const fields = [sessionId, model, startedAt === null ? null : new Date(startedAt).toISOString(), spent(cost)];
  yield `${fields.filter(Boolean).join(' · ')}\n`;
  for await (const entry of wholeEntries(record)) yield markdownOf(entry);
}

/** All entries, in full. */
export async function* wholeEntries(record: ConversationRecord): AsyncGenerator<Entry> {
  for await (const entry of entriesOf(record)) yield whole(record, entry);
}

async function* entriesOf(record: ConversationRecord): AsyncGenerator<Entry> {
  for (let from = 0; from < record.entries.total; from += SLICE) {
    for (let n = from; n < Math.min(from + SLICE, record.entries.total); n += 1) {
      const entry = record.entry(n);
      if (entry) yield entry;
    }
    await new Promise(setImmediate);
  }
}

/** An entry with the full text of everything that was cut. */
function whole(record: ConversationRecord, entry: Entry): Entry {
  const fields = Object.entries(entry).map(([name, value]) => [name, isCut(value) ? uncut(record, value) : value]);
  // The fields are the same; only cut texts and diffs are replaced.
  const uncutEntry = Object.fromEntries(fields) as Entry;
  if (uncutEntry.kind !== 'tool' || uncutEntry.diff === null) return uncutEntry;
  const { diff } = uncutEntry;
  return { ...uncutEntry, diff: { ...diff, hunks: wholeHunks(diff, record.entries), more: null } };
}

function isCut(value: unknown): value is Cut {
  return typeof value === 'object' && value !== null && 'more' in value && 'length' in value;
}

function uncut(record: ConversationRecord, cut: Cut): Cut {
  const number = /\/parts\/(\d+)$/.exec(cut.more ?? '')?.[1];
  const bytes = number === undefined ? undefined : record.entries.part(Number(number));
  return bytes === undefined ? cut : { ...cut, text: bytes.toString(), more: null };
}

function markdownOf(entry: Entry): string {
  const nested = '>'.repeat(entry.depth);
  const text = bodyOf(entry);
  if (text === '') return '';
  return `\n${nested === '' ? text : text.replace(/^/gm, `${nested} `)}\n`;
}

function bodyOf(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
      return `## ${entry.from === 'user' ? 'Prompt' : entry.from === 'steer' ? 'Added' : 'Note'}\n\n${entry.text.text}`;
    case 'text':
      return entry.text.text;
    case 'thinking':
      return entry.text.text === '' ? '' : `*Thinking:* ${entry.text.text}`;
    case 'tool':
      return [
        `**${entry.name}** ${inlineCode(entry.argument)} (${entry.state})`,
        fenced(entry.input.text, 'json'),
        ...(entry.asked === null
          ? []
          : ['A person changed the input. The model asked for:', fenced(entry.asked.text, 'json')]),
        ...(entry.result === null ? [] : [fenced(entry.result.text, '')]),
      ].join('\n\n');
    case 'system':
      return `*${entry.text}*`;
    case 'warning':
    case 'error':
      return `**${entry.kind}** \`${entry.code}\`: ${entry.message}`;
    case 'result':
      return entry.ok ? '---' : `**${entry.outcome}**${entry.by === null ? '' : ` by ${entry.by}`} ${entry.message}`;
    case 'audit':
      return `*${entry.audit.by}: ${entry.audit.action} ${entry.audit.note}*`;
  }
}

function inlineCode(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('`', "'")}\``;
}

/** A fence longer than every fence in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
