import { show, type TextPattern, textFits } from './pattern.ts';
import { type Verdict, verdict } from './verdict.ts';

/** Searches a matching text. */
export function findText(wanted: string, listed: string, texts: readonly string[], pattern: TextPattern): Verdict {
  return {
    ...verdict({
      pass: texts.some((text) => textFits(pattern, text)),
      wanted: `${wanted} ${show(pattern)}`,
      listed,
      seen: texts.map(shorten),
    }),
    actual: texts.length === 1 ? texts[0] : texts,
    expected: pattern,
  };
}

/** Formats a text on one line, shortened if it is as long as a system prompt. */
export function shorten(text: string): string {
  return text.length > LONGEST ? `${show(text.slice(0, LONGEST))} … (${text.length} characters)` : show(text);
}

const LONGEST = 300;
