import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from '../declarations/sessions.ts';

/** Maximum length of the first prompt in a summary. */
const LONGEST = 200;

/** Entries that set a field of the summary, by their type. */
const NAMED: Readonly<Record<string, readonly [entry: string, summary: string]>> = {
  'custom-title': ['customTitle', 'customTitle'],
  'ai-title': ['aiTitle', 'aiTitle'],
  'last-prompt': ['lastPrompt', 'lastPrompt'],
  summary: ['summary', 'summaryHint'],
};

/** Adds entries to the summary of a conversation: its titles, its first prompt, its working directory. */
export function foldSessionSummary(
  previous: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: SessionStoreEntry[],
  options: { mtime?: number } = {},
): SessionSummaryEntry {
  const data: Record<string, unknown> = { isSidechain: false, ...previous?.data };
  for (const entry of entries) add(data, entry);
  return { sessionId: key.sessionId, mtime: options.mtime ?? previous?.mtime ?? 0, data };
}

function add(data: Record<string, unknown>, entry: SessionStoreEntry): void {
  const [field, name] = NAMED[entry.type] ?? [];
  if (field !== undefined && name !== undefined) {
    data[name] = entry[field];
  } else if (entry.type === 'tag') {
    if (entry.tag) data.tag = entry.tag;
    else delete data.tag;
  } else {
    if (entry.isSidechain === true) data.isSidechain = true;
    if (data.createdAt === undefined && entry.timestamp !== undefined) data.createdAt = Date.parse(entry.timestamp);
    if (data.cwd === undefined && entry.cwd !== undefined) data.cwd = entry.cwd;
    if (entry.gitBranch !== undefined) data.gitBranch = entry.gitBranch;
    if (entry.type === 'user' && entry.isMeta !== true) addPrompt(data, textOf(entry.message));
  }
}

function addPrompt(data: Record<string, unknown>, text: string): void {
  if (data.firstPromptLocked === true || text === '') return;
  const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1];
  if (command !== undefined) {
    data.commandFallback ??= command;
    return;
  }
  data.firstPrompt = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  data.firstPromptLocked = true;
}

/** The text of a prompt on one line; empty for tool results. */
function textOf(message: unknown): string {
  const content: unknown =
    typeof message === 'object' && message !== null && 'content' in message ? message.content : '';
  if (typeof content === 'string') return onOneLine(content);
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) =>
    typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
      ? [block.text]
      : [],
  );
  return onOneLine(texts.join(' '));
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
