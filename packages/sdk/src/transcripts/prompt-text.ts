import { isJsonObject } from '../wire/kinds.ts';
import { textIn } from './entry.ts';

/** Enough for a line in a list. */
const LONGEST = 200;

/** What the CLI wraps in tags like these was not typed by anybody. */
const WRITTEN_BY_CLI =
  /^\s*<(?:command-|local-command-|bash-|system-reminder|task-notification|user-prompt-submit-hook)/;

/** The prompt on a line that breaks off somewhere in or behind it. */
const CUT_PROMPT = /"message":\{"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\.)*)/;

/** The words of a prompt on one line; undefined if the content is none. */
export function promptIn(content: unknown): string | undefined {
  const words = textsOf(content).find((text) => text.trim() !== '' && !WRITTEN_BY_CLI.test(text));
  return words === undefined ? undefined : oneLine(words);
}

/** The slash command in the content: `/review src`. */
export function commandIn(content: unknown): string | undefined {
  for (const text of textsOf(content)) {
    const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
    const args = /<command-args>([^<]*)<\/command-args>/.exec(text)?.[1]?.trim();
    if (name) return oneLine(`${name} ${args ?? ''}`);
  }
  return undefined;
}

/** The beginning of a prompt whose line is only there in part. */
export function promptOnCutLine(line: string): string | undefined {
  const start = CUT_PROMPT.exec(line)?.[1];
  if (start === undefined) return undefined;
  try {
    const words: unknown = JSON.parse(`"${start.slice(0, 2 * LONGEST).replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"`);
    return promptIn(words);
  } catch {
    return undefined;
  }
}

/** On one line, and not too long. */
function oneLine(text: string): string {
  const words = text
    .slice(0, 4 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim();
  return words.length <= LONGEST ? words : `${words.slice(0, LONGEST - 1).trimEnd()}…`;
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    isJsonObject(block) && block.type === 'text' ? [textIn(block, 'text') ?? ''] : [],
  );
}
