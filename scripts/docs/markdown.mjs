// The parts of the pages that npm run docs writes.

/**
 * A table.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * A page; the note names its source.
 * @param {string} note
 * @param {string} title
 * @param {readonly string[]} lines
 */
export function page(note, title, ...lines) {
  return [`<!-- ${note} -->`, '', `# ${title}`, '', ...lines, ''].join('\n');
}
