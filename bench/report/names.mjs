/** The display names of the contenders. */
const CONTENDERS = {
  bare: 'bare Node',
  control: 'the same again (control)',
  pulled: 'bare Node, read with for await',
  same: 'bare Node doing the same',
  coxswain: 'Coxswain',
  query: 'Coxswain query()',
  session: 'Coxswain session',
  pool: 'Coxswain pool',
  deltas: 'Coxswain textDeltaOf()',
  assembled: 'Coxswain assemblePartials()',
  again: 'Coxswain session again (control)',
  observed: 'with an observer that does nothing',
  traced: 'with spans and metrics',
  dropIn: 'drop-in',
  official: 'official SDK',
};

const times = (value) => `${value.toFixed(2)}×`;
const ms = (value) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
const mb = (value) => `${value.toFixed(1)} MB`;
const kb = (value) => `${value.toFixed(value < 10 ? 1 : 0)} KB`;
const count = (value) => String(Math.round(value));

/** The measured figures, in the order of the columns. */
export const COLUMNS = {
  wallMs: { title: 'wall', show: ms },
  ratio: { title: 'against bare', show: times },
  ofPlain: { title: 'against no observer', show: times },
  ofSame: { title: 'against the same', show: times },
  beyondMs: { title: 'beyond bare', show: ms },
  ofOfficial: { title: 'against official', show: times },
  cpuMs: { title: 'host CPU', show: ms },
  cpuOfOfficial: { title: 'CPU against official', show: times },
  cpuOfPlain: { title: 'CPU against no observer', show: times },
  cpuRatio: { title: 'CPU against bare', show: times },
  importMs: { title: 'import alone', show: ms },
  growth: { title: 'cost per message, 1M / 100k', show: (value) => `${value.toFixed(3)}×` },
  startDelayMs: { title: 'longest loop delay, starts', show: ms },
  turnDelayMs: { title: 'longest loop delay, turns', show: ms },
  idleKb: { title: 'RSS per idle session', show: kb },
  idleHeapKb: { title: 'heap per idle session', show: kb },
  usedKb: { title: 'RSS per session after a turn', show: kb },
  peakMb: { title: 'peak RSS', show: mb },
  readShare: { title: 'read', show: (value) => `${Math.floor(value * 100)} %` },
  eachMs: { title: 'each', show: ms },
  fdsGrown: { title: 'fds more', show: count },
  handlesGrown: { title: 'handles more', show: count },
  heapKbGrown: { title: 'heap more', show: kb },
  p50Ms: { title: 'median', show: ms },
  p95Ms: { title: '95th percentile', show: ms },
  packedKb: { title: 'packed', show: kb },
  unpackedKb: { title: 'unpacked, with dependencies', show: kb },
  packages: { title: 'packages', show: count },
  eagerKb: { title: 'read by an import', show: kb },
};

/** A section as a table of text: titles, then rows. Empty columns are left out. */
export function tableOf({ rows }) {
  const columns = Object.entries(COLUMNS).filter(([key]) => rows.some((row) => row[key] !== undefined));
  return [
    ['', ...columns.map(([, { title }]) => title)],
    ...rows.map((row) => [
      CONTENDERS[row.contender] ?? row.contender,
      ...columns.map(([key, { show }]) => (row[key] === undefined ? '' : show(row[key]))),
    ]),
  ];
}
