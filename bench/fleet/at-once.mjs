import { databaseMegabytes, inFleet, megabytes, outcomesOf, submitMany, until } from './world.mjs';

/**
 * Measures conversations that run at the same time on four workers. All turns wait until their workers receive SIGUSR2, so that none ends
 * before all have begun.
 * @param {import('./world.mjs').Bench} bench
 */
export async function atOnce(bench) {
  const count = bench.quick ? 100 : 1_000;
  return inFleet(bench, { workers: 4, slots: count / 4, hold: true }, async (world) => {
    const pids = world.started.map(({ pid }) => pid);
    const idle = `${megabytes(pids)} MB a worker, ${databaseMegabytes(bench)} MB PostgreSQL`;
    const from = performance.now();
    const ids = await submitMany(world, { count, keys: count });
    const running = `select count(*) as count from @.turn where state = 'sent'`;
    const most = await until(world, running, (sent) => sent === count);
    const begun = performance.now() - from;
    const full = `${megabytes(pids)} MB a worker, ${databaseMegabytes(bench)} MB PostgreSQL`;
    const released = performance.now();
    for (const { child } of world.started) child.kill('SIGUSR2');
    const outcomes = await outcomesOf(world, ids);
    const ended = performance.now() - released;
    const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`;
    return [
      {
        what: `${count} conversations, 4 workers with ${count / 4} slots`,
        figure: `${most} run at the same time, ${seconds(begun)} after the first submission; ${outcomes}, ${seconds(ended)} after their release`,
      },
      { what: 'memory, idle', figure: idle },
      { what: `memory, ${count} conversations run`, figure: full },
    ];
  });
}
