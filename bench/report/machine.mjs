import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { OFFICIAL_VERSION } from '../peer.mjs';
import { ROUNDS } from '../settings.mjs';

/** When, where and with what a run was made. Call it before the run: the load average must be the machine's, not the run's. */
export function aboutMachine() {
  const manifest = new URL('../../packages/sdk/package.json', import.meta.url);
  return {
    date: new Date().toISOString(),
    rounds: ROUNDS,
    load: loadavg()[0],
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: `${process.platform} ${process.arch} ${release()}`,
    },
    versions: {
      node: process.versions.node,
      coxswain: JSON.parse(readFileSync(manifest, 'utf8')).version,
      commit: commit(),
      officialSdk: OFFICIAL_VERSION,
    },
  };
}

function commit() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
