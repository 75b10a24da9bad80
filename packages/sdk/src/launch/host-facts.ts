import type { HostFacts } from '../options/host.ts';

/** What the options of a run depend on besides themselves. */
export function hostFacts(env: HostFacts['env'] = environment()): HostFacts {
  return {
    platform: process.platform,
    // Hardly ever asked for, and a system call.
    get uid() {
      return process.getuid?.();
    },
    env,
  };
}

/** `process.env` asks the system at each look, so it is read once. On Windows it finds a name in any spelling. */
function environment(): HostFacts['env'] {
  if (process.platform === 'win32') return process.env;
  const env: Record<string, string | undefined> = {};
  for (const name of Object.keys(process.env)) env[name] = process.env[name];
  return env;
}
