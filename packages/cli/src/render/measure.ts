/** Number of terminal columns of a text; colour codes have none. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text.replace(COLOUR_CODES, '')) columns += widthOf(character);
  return columns;
}

/** The text, cut to this number of columns with an ellipsis. Colour codes are not supported: paint afterwards. */
export function fit(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let taken = 0;
  for (const character of text) {
    taken += widthOf(character);
    if (taken > columns - 1) break;
    kept += character;
  }
  return columns > 0 ? `${kept}…` : '';
}

/** The first line that is not blank. */
export function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0]?.trim() ?? '';
}

/** Removes everything that would control a terminal: escape sequences and control characters other than tabs and line ends. */
export function harmless(text: string): string {
  return text.replace(ESCAPES, '').replace(CONTROLS, '');
}

/** 0, 1 or 2 columns. */
export function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 32 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** East Asian wide and full-width characters, and emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

const ESC = '\u001b';
const COLOUR_CODES = new RegExp(`${ESC}\\[[\\d;]*m`, 'g');
/** Sequences that move, erase or paint; titles and links, up to a bell or a terminator; strings; single letters. */
const ESCAPES = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`,
    `${ESC}\\][^\u0007${ESC}]*(?:\u0007|${ESC}\\\\)`,
    `${ESC}[PX^_][^${ESC}]*${ESC}\\\\`,
    `${ESC}[@-Z\\\\^_]`,
  ].join('|'),
  'g',
);
const CONTROLS = /[^\P{Cc}\t\n]/gu;
