import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The commands that open a file in a browser. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** A page that was opened through a file. */
export interface Opened {
  /** Removes the file. */
  remove(): Promise<void>;
}

/**
 * Opens a URL in the browser of this machine. Other users can read the command line of a process, so the URL,
 * which contains the token, is passed through a private file. Never rejects; the URL has been printed anyway.
 */
export async function openInBrowser(url: string): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'cox-ui-'));
  const file = join(folder, 'open.html');
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><a href="${address}">Inspector</a>`;
  await writeFile(file, page, { mode: 0o600 });
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, pathToFileURL(file).href], {
    stdio: 'ignore',
    detached: true,
    windowsHide: true, // a detached process has a console window there
  });
  child.once('error', () => {});
  child.unref();
  return { remove: () => rm(folder, { recursive: true, force: true }) };
}
