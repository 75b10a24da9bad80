import type { HostFacts } from '../options/host.ts';

/** What the options of a run depend on besides themselves. */
export function hostFacts(env: HostFacts['env'] = process.env): HostFacts {
  return {
    platform: process.platform,
    // Hardly ever asked for, and a system call.
    get uid() {
      return process.getuid?.();
    },
    env,
  };
}
