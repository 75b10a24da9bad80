import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hostEnv } from './host.mjs';

/**
 * Keeps one of the programs in hosts/ in a process of its own, where it stays warm: `run` has it do its work once more
 * and gives what it says of it.
 */
export function residentHost(name, args) {
  const file = fileURLToPath(new URL(`./hosts/${name}.mjs`, import.meta.url));
  const child = fork(file, args.map(String), { env: hostEnv() });
  return {
    run: () =>
      new Promise((resolve, reject) => {
        const died = (code, signal) =>
          reject(new Error(`hosts/${name}.mjs ${args.join(' ')} ended with ${signal ?? code}`));
        child.once('exit', died);
        child.once('message', (said) => {
          child.off('exit', died);
          resolve(said);
        });
        child.send('run');
      }),
    stop: () => child.disconnect(),
  };
}
