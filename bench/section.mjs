import { loadavg } from 'node:os';
import { interleave } from './interleave.mjs';
import { ROUNDS } from './settings.mjs';

/** Measures contenders side by side. A control far from 1 makes the section void. */
export async function paired(id, title, contenders, { hidden = ['beyondMs'], ...options } = {}) {
  const load = loadavg()[0];
  const rows = await interleave(contenders, options);
  for (const row of rows) for (const column of hidden) delete row[column];
  const control = rows[1].ratio;
  return section(id, title, rows, {
    rounds: options.rounds ?? ROUNDS,
    control,
    void: control < 0.95 || control > 1.05,
    load,
  });
}

/** Figures that are counted, not timed. */
export function section(id, title, rows, rest = {}) {
  return { id, title, date: new Date().toISOString(), load: loadavg()[0], ...rest, rows };
}

/** Runs a job and checks that nothing is missing. Only what `counts` accepts is counted. */
export async function timed(run, expected, counts = (message) => message.type === 'assistant') {
  let seen = 0;
  const start = performance.now();
  await run((message) => {
    if (counts(message)) seen++;
  });
  const ms = performance.now() - start;
  if (seen !== expected) throw new Error(`${seen} instead of ${expected}`);
  return { ms };
}
