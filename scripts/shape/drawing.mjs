// Draws ways through files as SVG: one row per way, one column per group of folders.

/**
 * @typedef {{ readonly title: string, readonly columns: readonly Column[], readonly rows: readonly Row[], readonly notes: readonly string[] }} Picture
 */

/**
 * marked: the column that all rows share. first: for the first file of each row, whatever its folder.
 * @typedef {{ readonly name: string, readonly folders: readonly string[], readonly marked?: boolean, readonly first?: boolean }} Column
 */

/**
 * follows: its first file is reached from that of the row above, through data.
 * @typedef {{ readonly name: string, readonly steps: readonly Step[], readonly follows?: boolean }} Row
 */

/**
 * A step from a file to another one. `loose`: not by a call, but through data. Without `from` there is no arrow and no number.
 * @typedef {{ readonly from?: string | undefined, readonly to: string, readonly number?: number, readonly loose?: boolean }} Step
 */

/** @typedef {{ readonly x: number, readonly y: number, readonly column: number, readonly numbers: number[] }} Chip */

const NAMES = 108;
const COLUMN = 208;
/** The space at the left of a chip is for arrows around other chips. */
const CHIP = { left: 16, width: 176, height: 24, gap: 9 };
const FOLDER = 17;
const TOP = 88;

/** @param {Picture} picture */
export function draw({ title, columns, rows, notes }) {
  const width = NAMES + columns.length * COLUMN + 10;
  let y = TOP;
  /** @type {(Chip | undefined)[]} */
  const starts = [];
  const bodies = rows.map((row, index) => {
    const { svg, height, start } = drawRow(row, columns, y);
    const line = index === 0 ? '' : `<line class="rule" x1="14" x2="${width - 14}" y1="${y - 12}" y2="${y - 12}"/>\n`;
    const name = row.name
      .split(' ')
      .map((word, at) => `<tspan x="16" dy="${at === 0 ? 0 : 17}">${escaped(word)}</tspan>`);
    const from = row.follows ? `${arrowFromAbove(starts.at(-1), start)}\n` : '';
    starts.push(start);
    const text = `<text class="way" y="${y + FOLDER + 16}">${name.join('')}</text>`;
    y += height + 24;
    return `${line}${text}\n${from}${svg}`;
  });
  const bottom = y - 8;
  const height = bottom + notes.length * 18 + 12;
  const heads = columns.map(({ name, marked }, index) => {
    const x = NAMES + index * COLUMN;
    const band = `<rect class="${marked ? 'band marked' : 'band'}" x="${x}" y="44" width="${COLUMN - 10}" height="${bottom - 44}" rx="8"/>`;
    return `${band}\n<text class="head" x="${x + (COLUMN - 10) / 2}" y="65" text-anchor="middle">${escaped(name)}</text>`;
  });
  const texts = notes.map(
    (note, index) => `<text class="note" x="16" y="${bottom + 20 + index * 18}">${escaped(note)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0.5 8 4 0 7.5z"/></marker></defs>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
<text class="title" x="16" y="28">${escaped(title)}</text>
${[...heads, ...bodies, ...texts].join('\n')}
</svg>
`;
}

/**
 * @param {Row} row
 * @param {readonly Column[]} columns
 * @param {number} top
 */
function drawRow({ steps }, columns, top) {
  const chips = placed(steps, columns, top);
  const arrows = new Set(steps.map((step) => arrow(step, chips)).filter(Boolean));
  const folders = [...chips.folders].map(
    ([, { x, y, name }]) => `<text class="folder" x="${x + 2}" y="${y}">${name}/</text>`,
  );
  const boxes = [...chips.files].map(([path, { x, y, numbers }]) => {
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.tsx?$/, '');
    return `<g><title>${path}</title><rect class="chip" x="${x}" y="${y}" width="${CHIP.width}" height="${CHIP.height}" rx="5"/><text x="${x + 8}" y="${y + 16}">${numbered(numbers)}${escaped(name)}</text></g>`;
  });
  const [start] = chips.files.values();
  return { svg: [...arrows, ...folders, ...boxes].join('\n'), height: chips.height, start };
}

/** @param {readonly number[]} numbers */
function numbered(numbers) {
  return numbers.length === 0 ? '' : `<tspan class="number">${numbers.join('·')}</tspan> `;
}

/**
 * @param {Chip | undefined} above
 * @param {Chip | undefined} below
 */
function arrowFromAbove(above, below) {
  if (!above || !below) return '';
  return `<path class="arrow loose" marker-end="url(#tip)" d="M${above.x + CHIP.width - 30} ${above.y + CHIP.height}V${below.y}"/>`;
}

/**
 * Where each file is drawn: below the others of its folder, in the order of the first steps.
 * @param {readonly Step[]} steps
 * @param {readonly Column[]} columns
 * @param {number} top
 */
function placed(steps, columns, top) {
  /** @type {Map<string, Chip>} */
  const files = new Map();
  /** @type {Map<string, { x: number, y: number, name: string }>} */
  const folders = new Map();
  const filled = columns.map(() => 0);
  const ofFirst = columns.findIndex(({ first }) => first);
  const paths = new Set(steps.map(({ to }) => to));
  for (const [index, group] of grouped([...paths], ofFirst !== -1).entries()) {
    const folder = folderOf(group[0] ?? '');
    const of = columns.findIndex((each) => !each.first && each.folders.includes(folder));
    const column = index === 0 && ofFirst !== -1 ? ofFirst : of;
    if (column === -1) throw new Error(`${folder}/ has no column in the picture: ${group.join(' ')}`);
    const x = NAMES + column * COLUMN + CHIP.left;
    const start = top + (filled[column] ?? 0);
    folders.set(`${column} ${folder}`, { x, y: start + 10, name: folder });
    group.forEach((to, at) => {
      files.set(to, { x, y: start + FOLDER + at * (CHIP.height + CHIP.gap), column, numbers: [] });
    });
    filled[column] = start + FOLDER + group.length * (CHIP.height + CHIP.gap) - top;
  }
  for (const { to, number } of steps) if (number !== undefined) files.get(to)?.numbers.push(number);
  return { files, folders, height: Math.max(...filled) - CHIP.gap };
}

/**
 * The files by folder, in the order of the first ones.
 * @param {readonly string[]} paths
 * @param {boolean} firstAlone
 */
function grouped(paths, firstAlone) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  paths.forEach((path, index) => {
    const key = firstAlone && index === 0 ? '' : folderOf(path);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  });
  return [...groups.values()];
}

/**
 * @param {Step} step
 * @param {ReturnType<typeof placed>} chips
 */
function arrow({ from, to, loose = false }, { files }) {
  const a = from === undefined ? undefined : files.get(from);
  const b = files.get(to);
  if (!a || !b || a === b) return '';
  const path = a.column === b.column ? within(a, b) : across(a, b);
  return `<path class="${loose ? 'arrow loose' : 'arrow'}" marker-end="url(#tip)" d="${path}"/>`;
}

/**
 * Between columns: a curve from side to side.
 * @param {Chip} a
 * @param {Chip} b
 */
function across(a, b) {
  const rightwards = a.column < b.column;
  const [from, to] = [a.x + (rightwards ? CHIP.width : 0), b.x + (rightwards ? 0 : CHIP.width)];
  const [y1, y2] = [a.y + CHIP.height / 2, b.y + CHIP.height / 2];
  const bend = (to - from) / 2;
  return `M${from} ${y1}C${from + bend} ${y1} ${to - bend} ${y2} ${to} ${y2}`;
}

/**
 * In one column: straight down to the next file, around the side to any other.
 * @param {Chip} a
 * @param {Chip} b
 */
function within(a, b) {
  const below = a.y + CHIP.height;
  const x = a.x + CHIP.width - 30;
  if (b.y > a.y && b.y - below <= CHIP.gap + FOLDER) return `M${x} ${below}V${b.y}`;
  const [y1, y2] = [a.y + CHIP.height / 2, b.y + CHIP.height / 2];
  return `M${a.x} ${y1}C${a.x - 14} ${y1} ${a.x - 14} ${y2} ${a.x} ${y2}`;
}

/** @param {string} path */
function folderOf(path) {
  return path.slice(0, path.lastIndexOf('/'));
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const STYLE = `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}
.title{font:600 15px system-ui,sans-serif}.head,.way{font:600 13px system-ui,sans-serif}.note{font:12.5px system-ui,sans-serif;fill:#57606a}
.folder{font-size:10.5px;fill:#57606a}.number{fill:#0969da;font-weight:600}
.paper{fill:#fff}.band{fill:#f6f8fa}.marked{fill:#ddf4ff}.chip{fill:#fff;stroke:#afb8c1}.rule{stroke:#d0d7de}
.arrow{fill:none;stroke:#6e7781;stroke-width:1.4}.loose{stroke-dasharray:4 3}.tip{fill:#6e7781}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.note,.folder{fill:#9198a1}.number{fill:#58a6ff}.paper{fill:#0d1117}.band{fill:#151b23}.marked{fill:#12263f}.chip{fill:#0d1117;stroke:#4a525c}.rule{stroke:#3d444d}.arrow{stroke:#9198a1}.tip{fill:#9198a1}}`;
