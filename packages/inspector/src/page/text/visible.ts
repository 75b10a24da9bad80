/**
 * Makes characters visible that could hide or reorder text: control characters, terminal escapes, direction overrides and
 * zero-width characters. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  return HIDDEN.test(text) ? text.replace(/\r\n/g, '\n').replace(HIDDEN_ALL, marked) : text;
}

/** The same for a text on one line, such as a path: line breaks and tabs are made visible, too. */
export function onOneLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, marked);
}

/** JSON in which hidden characters are written as escapes: it has the same value, and shows them. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN_ALL, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Also marks long runs of blanks and empty lines, which could hide the rest of a command. */
export function withoutGaps(text: string): string {
  return text
    .replace(/[^\S\n]{40,}/gu, (blanks) => ` ⟦${blanks.length} blanks⟧ `)
    .replace(/(?:[^\S\n]*\n){6,}/gu, (lines) => `\n⟦${lines.split('\n').length - 2} empty lines⟧\n`);
}

// Control characters, soft hyphen, direction marks, embeddings, overrides and isolates, zero-width characters (joiners that
// emoji and scripts need stay), line and paragraph separators, tags, and others without a shape: fillers, blank braille, invisible
// operators, variation selectors (that of emoji stays).
const CLASS =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]';
// Joiners after letters of scripts that need none, or after another joiner, and the variation selector after what is no emoji.
const JOINERS =
  '[\\u200c\\u200d](?<=(?:^|[\\0-\\x7f\\u200c\\u200d\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}]).)|\\ufe0f(?<!\\p{Extended_Pictographic}.)(?!\\u20e3)';
const HIDDEN = new RegExp(`${CLASS}|${JOINERS}`, 'u');
const HIDDEN_ALL = new RegExp(`${CLASS}|${JOINERS}`, 'gu');

function marked(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}
