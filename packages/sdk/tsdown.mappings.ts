const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * The mappings of a source map after line breaks were inserted into the code at `places`. Only the first field of a segment, its
 * column, depends on the lines of the code; the other fields are kept.
 */
export function brokenMappings(mappings: string, code: string, places: readonly number[]): string {
  const lengths = code.split('\n').map((line) => line.length);
  let lineStart = 0;
  return mappings
    .split(';')
    .map((line, index) => {
      const start = lineStart;
      lineStart += (lengths[index] ?? 0) + 1;
      const columns = places.filter((place) => place > start && place < lineStart).map((place) => place - start);
      return brokenLine(line, columns);
    })
    .join(';');
}

function brokenLine(line: string, breaks: readonly number[]): string {
  const lines: string[][] = [[]];
  let column = 0;
  let written = 0;
  for (const segment of line === '' ? [] : line.split(',')) {
    const [delta, rest] = firstField(segment);
    column += delta;
    for (let next = breaks[lines.length - 1]; next !== undefined && next <= column; next = breaks[lines.length - 1]) {
      lines.push([]);
      written = next;
    }
    lines.at(-1)?.push(encoded(column - written) + rest);
    written = column;
  }
  while (lines.length <= breaks.length) lines.push([]);
  return lines.map((segments) => segments.join(',')).join(';');
}

/** The first number of a segment in the base 64 of source maps, and everything after it. */
function firstField(segment: string): [value: number, rest: string] {
  let bits = 0;
  for (let index = 0; index < segment.length; index += 1) {
    const digit = DIGITS.indexOf(segment.charAt(index));
    bits += (digit & 31) * 2 ** (index * 5);
    if (digit < 32) return [bits % 2 === 1 ? -(bits - 1) / 2 : bits / 2, segment.slice(index + 1)];
  }
  throw new Error(`"${segment}" is not a segment of a source map.`);
}

/** A column difference in the base 64 of source maps; never negative here. */
function encoded(value: number): string {
  let bits = value * 2;
  let text = '';
  do {
    const digit = bits % 32;
    bits = Math.floor(bits / 32);
    text += DIGITS.charAt(bits > 0 ? digit + 32 : digit);
  } while (bits > 0);
  return text;
}
