// npm run do -- demo:record: plays the demo in a real terminal and draws its output as docs/demo.svg,
// each word at its time of appearance. The picture plays once and stops; with reduced motion it is static.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inTerminal } from '../../packages/cli/test/terminal/pty.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARGET = fileURLToPath(new URL('../../docs/demo.svg', import.meta.url));
const COLUMNS = 104;

/** @typedef {import('../../packages/cli/test/terminal/virtual-screen.ts').Cell} Cell */
/** @typedef {{ row: number, column: number, text: string, style: string, at: number }} Run */

const CELL = { width: 8.4, height: 19, fontSize: 14 };
const MARGIN = { top: 46, side: 20, bottom: 18 };

/** The styles of SGR numbers. */
/** @type {Readonly<Record<string, string>>} */
const LOOKS = {
  1: 'font-weight="700"',
  2: 'fill="#7d8590"',
  31: 'fill="#ff7b72"',
  32: 'fill="#3fb950"',
  33: 'fill="#d29922"',
  36: 'fill="#39c5cf"',
};

/**
 * Groups adjacent cells with the same style and time.
 * @param {readonly (readonly Cell[])[]} lines
 * @returns {Run[]}
 */
export function runsOf(lines) {
  return lines.flatMap((cells, row) => {
    /** @type {Run[]} */
    const runs = [];
    cells.forEach(({ text, style, at }, column) => {
      const last = runs.at(-1);
      if (last && last.style === style && at - last.at < 50) last.text += text;
      else runs.push({ row, column, text, style, at });
    });
    return runs.filter(({ text }) => text.trim() !== '');
  });
}

/**
 * @param {readonly Run[]} runs
 * @param {number} rows
 */
export function svgOf(runs, rows) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN.side);
  const height = Math.ceil(rows * CELL.height + MARGIN.top + MARGIN.bottom);
  const start = Math.min(...runs.map(({ at }) => at)) - 500;
  const words = runs.map((run) => drawn(run, start));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="npm run demo: an agent fixes a bug under a guard, asks for a permission, calls a tool of the program, loses its process and continues, and is interrupted">
<style>
text { font: ${CELL.fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre }
.w { animation: come 1ms linear both }
@keyframes come { from { opacity: 0 } to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { .w { animation: none } }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
<text x="${width / 2}" y="25" text-anchor="middle" fill="#7d8590">npm run demo</text>
<g fill="#e6edf3">
${words.join('\n')}
</g>
</svg>
`;
}

/**
 * @param {Run} run
 * @param {number} start
 */
function drawn({ row, column, text, style, at }, start) {
  const shown = text.trim();
  const x = (MARGIN.side + (column + text.search(/\S/)) * CELL.width).toFixed(1);
  const y = MARGIN.top + (row + 0.8) * CELL.height;
  const looks = style.split(';').flatMap((code) => LOOKS[code] ?? []);
  const delay = ((at - start) / 1000).toFixed(2);
  const length = ([...shown].length * CELL.width).toFixed(1);
  const attributes = [
    `class="w"`,
    `x="${x}"`,
    `y="${y.toFixed(1)}"`,
    `textLength="${length}"`,
    ...looks,
    `style="animation-delay:${delay}s"`,
  ];
  return `<text ${attributes.join(' ')}>${escaped(shown)}</text>`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const run = inTerminal(`'${process.execPath}' --import tsx examples/demo.ts`, {
    columns: COLUMNS,
    rows: 60,
    cwd: ROOT,
  });
  await run.until(/Press y or n\.$/, 60_000);
  // The time to read the question.
  await setTimeout(1_500);
  run.press('y');
  const code = await run.ended;
  if (code !== 0) throw new Error(`The demo ended with ${code}:\n${run.screen.text}`);
  const lines = run.screen.cells.slice(run.screen.lines.findIndex((line) => line !== ''));
  const rows = lines.length - [...lines].reverse().findIndex((cells) => cells.length > 0);
  const runs = runsOf(lines);
  writeFileSync(TARGET, svgOf(runs, rows));
  const seconds = (Math.max(...runs.map(({ at }) => at)) / 1000).toFixed(1);
  console.log(`${TARGET}: ${rows} lines, ${runs.length} words, ${seconds} s`);
}
