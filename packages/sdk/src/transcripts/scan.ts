import { isJsonObject, type JsonObject, objectIn } from '../wire/kinds.ts';
import { textIn } from './entry.ts';

/** Maximum length of a prompt in a list, in characters. */
const LONGEST_PROMPT = 200;

/** Start of text that was written by the CLI, not typed by a user. */
const WRITTEN_BY_CLI =
  /^\s*<(?:command-|local-command-|bash-|system-reminder|task-notification|user-prompt-submit-hook)/;

/** The prompt on an incomplete line. */
const CUT_PROMPT = /"message":\{"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\.)*)/;

/** A title at the start of the file. A later title at the end replaces it. */
const HEAD_TITLE = /^\{"type":"(?:custom-title|ai-title|agent-name)"/;

/** The result of scanning the start and the end of a transcript. */
export interface Scan {
  /** True if the file probably contains a conversation that can be resumed. */
  hasConversation: boolean;
  firstPrompt?: string;
  /** The first slash command before any prompt. */
  firstCommand?: string;
  cwd?: string;
  /** The working directory at the end of the file. */
  lastCwd?: string;
  /** The unparsed timestamp. */
  createdAt?: string;
  forkedFrom?: string;
  gitBranch?: string;
  customTitle?: string;
  aiTitle?: string;
  summary?: string;
  agentName?: string;
  lastPrompt?: string;
  /** The newest tag; empty if it was removed. */
  tag?: string;
}

/** Scans complete lines at the start for titles, and up to the first prompt for the rest; `cut` is the start of the next line. */
export function scanHead(scan: Scan, lines: readonly string[], cut: string): void {
  // Later titles take precedence.
  for (const line of lines.toReversed()) if (HEAD_TITLE.test(line)) takeTitle(scan, objectIn(line) ?? {});
  for (const line of lines) {
    const object = objectIn(line) ?? {};
    if (object.type === 'summary') takeTitle(scan, object);
    if (!('parentUuid' in object)) {
      set(scan, 'createdAt', textIn(object, 'timestamp'));
      continue;
    }
    if (object.isSidechain === true) continue;
    takeMessage(scan, object);
    if (scan.firstPrompt !== undefined) return;
  }
  if (cut.includes('"parentUuid"') && !cut.includes('"isSidechain":true')) {
    scan.hasConversation = true;
    set(scan, 'firstPrompt', promptOnCutLine(cut));
  }
}

/** Scans a line near the end. Call it for the last line first. */
export function scanTailLine(scan: Scan, line: string): void {
  const object = objectIn(line) ?? {};
  takeTitle(scan, object);
  if (object.type === 'tag' && typeof object.tag === 'string') set(scan, 'tag', object.tag);
  if (object.type === 'last-prompt') set(scan, 'lastPrompt', textIn(object, 'lastPrompt'));
}

function takeMessage(scan: Scan, object: JsonObject): void {
  if (object.type === 'user' || object.type === 'assistant') scan.hasConversation = true;
  set(scan, 'cwd', textIn(object, 'cwd'));
  set(scan, 'forkedFrom', textIn(object.forkedFrom, 'sessionId'));
  set(scan, 'createdAt', textIn(object, 'timestamp'));
  set(scan, 'gitBranch', textIn(object, 'gitBranch'));
  if (object.type !== 'user' || object.isMeta === true || object.isCompactSummary === true) return;
  const content = isJsonObject(object.message) ? object.message.content : undefined;
  set(scan, 'firstPrompt', promptIn(content));
  set(scan, 'firstCommand', commandIn(content));
}

function takeTitle(scan: Scan, object: JsonObject): void {
  if (object.type === 'custom-title') set(scan, 'customTitle', textIn(object, 'customTitle'));
  else if (object.type === 'ai-title') set(scan, 'aiTitle', textIn(object, 'aiTitle'));
  else if (object.type === 'agent-name') set(scan, 'agentName', textIn(object, 'agentName'));
  else if (object.type === 'summary') set(scan, 'summary', textIn(object, 'summary'));
}

/** Sets a field unless it is already set: the end is scanned first, because later titles take precedence. */
export function set<K extends keyof Scan>(scan: Scan, key: K, value: Scan[K] | undefined): void {
  if (value !== undefined && scan[key] === undefined) scan[key] = value;
}

/** The text of a prompt, shortened to one line; undefined if the content is not a prompt. */
function promptIn(content: unknown): string | undefined {
  const prompt = textsOf(content).find((text) => text.trim() !== '' && !WRITTEN_BY_CLI.test(text));
  return prompt === undefined ? undefined : oneLine(prompt);
}

/** The slash command in the content, such as `/review src`. */
function commandIn(content: unknown): string | undefined {
  for (const text of textsOf(content)) {
    const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
    const args = /<command-args>([^<]*)<\/command-args>/.exec(text)?.[1]?.trim();
    if (name) return oneLine(`${name} ${args ?? ''}`);
  }
  return undefined;
}

function promptOnCutLine(line: string): string | undefined {
  const start = CUT_PROMPT.exec(line)?.[1]?.slice(0, 2 * LONGEST_PROMPT);
  // The cut may be within an escape sequence.
  return start === undefined
    ? undefined
    : promptIn(objectIn(`{"text":"${start.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"}`)?.text);
}

function oneLine(text: string): string {
  const words = text
    .slice(0, 4 * LONGEST_PROMPT)
    .replace(/\s+/g, ' ')
    .trim();
  return words.length <= LONGEST_PROMPT ? words : `${words.slice(0, LONGEST_PROMPT - 1).trimEnd()}…`;
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    isJsonObject(block) && block.type === 'text' ? [textIn(block, 'text') ?? ''] : [],
  );
}
