import type { HostFacts } from '../../src/options/host.ts';

export const host: HostFacts = { platform: 'linux', uid: 1000, env: {} };
export const rootHost: HostFacts = { platform: 'linux', uid: 0, env: {} };
