// The drop-in beside the official SDK, each measurement in a fresh process.
import { runHost } from '../host.mjs';
import { officialEntry } from '../peer.mjs';
import { paired } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';

const CALLS = 10;
/** Without a comparison with bare Node. */
const hidden = ['ratio', 'beyondMs', 'cpuRatio'];

export async function run() {
  const official = officialEntry();
  const dropIn = import.meta.resolve('@coxswain/drop-in');
  const count = scaled(5_000);
  const on = (address, what, times) => async () => {
    // Excludes the time of the whole process.
    const { ms, cpuMs } = await runHost('sdk-run', [address, what, times], { oneCore: times === count });
    return { ms, cpuMs };
  };
  const section = (what, title, times = 1) =>
    paired(
      `drop-in-${what}`,
      `Drop-in: ${title}`,
      {
        dropIn: on(dropIn, what, times),
        control: on(dropIn, what, times),
        ...(official && { official: on(official, what, times) }),
      },
      { hidden, warmups: 1 },
    );
  return [
    await section('import', 'the import'),
    await section('program', 'a program with one query: the import, the call, the end of the run'),
    await section('server', 'the first createSdkMcpServer(), with one tool'),
    await section('first', `first message after the call, mean of ${CALLS} calls`, CALLS),
    await section('permissions', `${shown(count)} permissions in one query`, count),
    await section('hooks', `${shown(count)} hooks in one query`, count),
  ];
}
