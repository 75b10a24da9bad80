import { spawn } from 'node:child_process';

/** Opens an address in the browser of this machine, if the program runs on a terminal and there is one. */
export function openInBrowser(address: string): void {
  if (!process.stdout.isTTY) return;
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  const child = spawn(opener, [address], { stdio: 'ignore', detached: true });
  // Without a desktop there is nothing to open it with; the address is printed.
  child.on('error', () => {});
  child.unref();
}
