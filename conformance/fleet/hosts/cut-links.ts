import { setTimeout as delay } from 'node:timers/promises';
import { randomNumbers } from '../../../packages/fleet/test/chaos/harms.ts';
import { CUTS, type HostNetwork } from './network.ts';
import type { HostsPlan } from './run-hosts.ts';

/** Cuts the link of one host, or of all but one, for less or for more than a lease. Returns how often each happened. */
export async function cutLinks(
  { seed, cuts, leaseMs, everyMs, hosts, report = () => {} }: HostsPlan,
  network: HostNetwork,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const random = randomNumbers(seed);
  const done: Record<string, number> = {};
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => {});
  for (let n = 0; n < cuts && !signal.aborted; n += 1) {
    await pause(everyMs);
    if (signal.aborted) break;
    const how = CUTS[n % CUTS.length] ?? 'cable';
    const isLong = n % 2 === 0;
    const first = Math.floor(random() * hosts);
    const chosen =
      n % 4 === 3 ? Array.from({ length: hosts }, (_, host) => host).filter((host) => host !== first) : [first];
    const what = `${how}, ${isLong ? 'longer' : 'shorter'} than a lease, ${chosen.length} of ${hosts} hosts`;
    done[what] = (done[what] ?? 0) + 1;
    report(`cut: ${what} (${chosen.join(', ')})`);
    for (const host of chosen) network.cut(host, how);
    await pause(isLong ? leaseMs * 2 : leaseMs / 4);
    for (const host of chosen) network.restore(host, how);
  }
  return done;
}
