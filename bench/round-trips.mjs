import { bare, coxswain, official } from './contenders/index.mjs';
import { runHost } from './host.mjs';
import { paired } from './section.mjs';
import { scaled, shown } from './settings.mjs';
import { stubCli } from './stub.mjs';

/**
 * Requests of the CLI, one after the other, in a warm process, and as whole processes: boot, import, answers,
 * exit. Both on one core: two would measure wake-ups, not code.
 */
export async function roundTrips(what) {
  const count = scaled(5_000);
  const title = `${shown(count)} sequential ${what} on one core`;
  return [
    await paired(`${what}-run`, `${title}, as a whole process`, inProcesses(what, count), { warmups: 1 }),
    await paired(what, `${title}, in a warm process`, inThisProcess(what, count)),
  ];
}

function inProcesses(what, count) {
  const host = (contender) => async () => {
    const { wallMs, cpuMs } = await runHost('one-run', [contender, what, count]);
    return { ms: wallMs, cpuMs };
  };
  return {
    bare: host('bare-session'),
    control: host('bare-session'),
    query: host('query'),
    session: host('session'),
    ...(official && { official: host('official') }),
  };
}

function inThisProcess(what, count) {
  const env = { [what === 'hooks' ? 'STUB_HOOKS' : 'STUB_PERMISSIONS']: String(count) };
  const ask = (run) => async () => {
    let asked = 0;
    const job = {
      cli: stubCli(),
      env,
      asked: () => {
        asked++;
      },
    };
    const began = performance.now();
    await run(job, () => {});
    const ms = performance.now() - began;
    if (asked !== count) throw new Error(`${asked} instead of ${count}`);
    return { ms };
  };
  return {
    bare: ask(bare.session),
    control: ask(bare.session),
    query: ask(coxswain.oneShot),
    session: ask(coxswain.session),
    ...(official && { official: ask(official.oneShot) }),
  };
}
