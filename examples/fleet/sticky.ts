/** Files that stay on the disk of a worker: its conversations come back to it, and begin again elsewhere when it is gone. */
import { mkdtempSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, openFleet, startWorker, stickyWorkspace, type Worker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';

const root = mkdtempSync(join(tmpdir(), 'fleet-sticky-'));
const fleet = await openFleet({ database: process.env.COXSWAIN_DATABASE_URL });
const database = process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl;

let report = '';

function hire(machine: string): Promise<Worker> {
  // #region sticky
  const workspace = stickyWorkspace({
    directory: join(root, machine), // on a disk of the worker
    maxFolders: 50,
    maxAgeMs: 2 * 24 * 3_600_000,
  });
  // #endregion
  const agent = defineAgent({
    workspace: {
      ...workspace,
      async prepare(job) {
        const files = await workspace.prepare(job);
        // The scripted agent has no tools: a real one works in this folder.
        const log = join(files.cwd, 'log.txt');
        await appendFile(log, 'a line\n');
        const lines = (await readFile(log, 'utf8')).split('\n').length - 1;
        const isGone = files.notice === undefined ? '' : ', and the agent reads that files are gone';
        report = `${machine}: ${lines} ${lines === 1 ? 'line' : 'lines'}${isGone}`;
        return files;
      },
    },
    options: () => ({ transport: inMemoryCli(script().otherwise((turn) => turn.say('Done.'))).transport }),
  });
  return startWorker({ database, name: machine, agent });
}

async function run(): Promise<void> {
  await (await fleet.submit({ key: 'ann', prompt: 'Continue' })).outcome();
  console.log(report);
}

const one = await hire('one');
await run();
const two = await hire('two');
await run(); // on the first worker again, however busy it is
await one.drain();
await run();
await two.drain();
await fleet.close();
