const BARS = [
  { contender: 'query', name: 'Coxswain query()', style: 'query' },
  { contender: 'coxswain', name: 'Coxswain', style: 'query' },
  { contender: 'session', name: 'Coxswain session', style: 'session' },
  { contender: 'official', name: 'official SDK', style: 'official' },
];
const [WIDTH, LEFT, RIGHT, TOP, BAR, GAP] = [860, 330, 70, 86, 13, 16];

/** Bars of the wall time against bare Node, one group for each scenario that is timed; in light and dark. */
export function chart({ sections, versions, date }) {
  const groups = sections.filter((section) => section.control !== undefined && !section.void).map(groupOf);
  const widest = Math.max(2, ...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  const scale = (ratio) => ((WIDTH - LEFT - RIGHT) * ratio) / widest;
  let y = TOP;
  const drawn = groups.map((group) => {
    const text = draw(group, y, scale);
    y += group.bars.length * BAR + GAP;
    return text;
  });
  const height = y + 14;
  const bare = LEFT + scale(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Wall time against bare Node, shorter is better">
<style>
text { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.quiet { fill: #59636e }
.page { fill: #ffffff; stroke: #d1d9e0 }
.query { fill: #0969da }
.session { fill: #54aeff }
.official { fill: #9a6700 }
.bare { stroke: #59636e; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9198a1 }
  .page { fill: #0d1117; stroke: #3d444d }
  .query { fill: #4493f8 }
  .session { fill: #a5d6ff }
  .official { fill: #d29922 }
  .bare { stroke: #9198a1 }
}
</style>
<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="20" y="28">Wall time against bare Node (spawn, split, JSON.parse): shorter is better</text>
<text class="quiet" x="20" y="48">Coxswain ${versions.coxswain}, official SDK ${versions.officialSdk}, Node ${versions.node}, ${date.slice(0, 10)}</text>
${legend()}
<line class="bare" x1="${at(bare)}" y1="${TOP - 8}" x2="${at(bare)}" y2="${y - GAP + 6}"/>
<text class="quiet" x="${at(bare)}" y="${TOP - 12}" text-anchor="middle">bare Node</text>
${drawn.join('\n')}
</svg>
`;
}

function groupOf({ title, rows }) {
  const bars = BARS.flatMap(({ contender, style }) => {
    const row = rows.find((candidate) => candidate.contender === contender);
    return row ? [{ style, ratio: row.ratio }] : [];
  });
  return { title, bars };
}

function draw({ title, bars }, y, scale) {
  const middle = y + (bars.length * BAR) / 2 + 4;
  const lines = wrapped(title, 44);
  return [
    ...lines.map((line, i) => {
      const lineY = middle + (i - (lines.length - 1) / 2) * 14;
      return `<text x="${LEFT - 12}" y="${at(lineY)}" text-anchor="end">${escaped(line)}</text>`;
    }),
    ...bars.flatMap(({ style, ratio }, i) => [
      `<rect class="${style}" x="${LEFT}" y="${y + i * BAR}" width="${at(scale(ratio))}" height="${BAR - 2}" rx="2"/>`,
      `<text x="${at(LEFT + scale(ratio) + 6)}" y="${y + i * BAR + 10}" class="quiet">${ratio.toFixed(2)}×</text>`,
    ]),
  ].join('\n');
}

function legend() {
  const entries = BARS.filter(({ contender }) => contender !== 'coxswain');
  return entries
    .map(({ name, style }, i) => {
      const x = WIDTH - 20 - (entries.length - i) * 130;
      return `<rect class="${style}" x="${x}" y="38" width="11" height="11" rx="2"/><text x="${x + 16}" y="48">${name}</text>`;
    })
    .join('\n');
}

/** Breaks long titles into lines of about this many characters. */
function wrapped(text, letters) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && line.length + word.length >= letters) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function at(number) {
  return Number(number.toFixed(1));
}
