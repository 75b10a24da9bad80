import type { HostFacts } from '../options/host.ts';

/** What the options of a run depend on besides themselves. */
export function hostFacts(env: HostFacts['env'] = environment()): HostFacts {
  return new Host(env);
}

class Host implements HostFacts {
  readonly platform: string = process.platform;
  readonly env: HostFacts['env'];

  constructor(env: HostFacts['env']) {
    this.env = env;
  }

  /** Hardly ever asked for, and a system call. */
  get uid(): number | undefined {
    return process.getuid?.();
  }
}

/** `process.env` asks the system at each look, so it is copied. Not on Windows, where it finds a name in any spelling. */
function environment(): HostFacts['env'] {
  if (process.platform === 'win32') return process.env;
  const names = Object.keys(process.env);
  const before = last?.deref();
  if (before !== undefined && isStill(before, names)) return before;
  const env: Record<string, string | undefined> = {};
  for (const name of names) env[name] = process.env[name];
  last = new WeakRef(env);
  return env;
}

/** The last copy: as long as nothing changes, many sessions share one. Weak, so that it is not kept for its own sake. */
let last: WeakRef<HostFacts['env']> | undefined;

function isStill(env: HostFacts['env'], names: readonly string[]): boolean {
  return (
    names.length === Object.keys(env).length && names.every((name) => name in env && env[name] === process.env[name])
  );
}
