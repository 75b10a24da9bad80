import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hostEnv } from './host.mjs';

/**
 * Keeps one of the programs in hosts/ warm in a separate process: `run` makes it do its work again
 * and returns its report.
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
        child.once('message', (report) => {
          child.off('exit', died);
          resolve(report);
        });
        child.send('run');
      }),
    stop: () => child.disconnect(),
  };
}
