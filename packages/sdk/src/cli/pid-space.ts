import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names what the pids of this process are counted in: two processes with the same name see the same process under the same
 * pid. `undefined` where that cannot be told, and then nobody else's pid means anything here.
 */
export function pidSpace(): string | undefined {
  if (process.platform !== 'linux') return hostname();
  try {
    // The host name does not do: containers may share it. A namespace's number alone is the same on every machine.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}
