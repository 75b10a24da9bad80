/** The files of a conversation without Git: a report that continues on another worker. */
import { mkdtempSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveWorkspace, defineAgent, folderArchive, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';

const folder = mkdtempSync(join(tmpdir(), 'fleet-files-'));

// #region archive
const files = archiveWorkspace({
  store: folderArchive(join(folder, 'shared')), // or postgresArchive(pool)
  ignore: ['node_modules', 'cache'],
});
// #endregion

const fleet = await openFleet({ database: process.env.COXSWAIN_DATABASE_URL });
const database = process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl;

for (const machine of ['one', 'two']) {
  let found = 'nothing';
  const agent = defineAgent({
    workspace: {
      ...files,
      async prepare(job) {
        const place = await files.prepare(job);
        // The scripted agent has no tools: a real one reads and writes such a file.
        const report = join(place.cwd, 'report.txt');
        found = await readFile(report, 'utf8').catch(() => found);
        await appendFile(report, `written by ${machine}`);
        return place;
      },
    },
    options: () => ({ transport: inMemoryCli(script().otherwise((turn) => turn.say('Done.'))).transport }),
  });
  const worker = await startWorker({ database, agent });
  const turn = await fleet.submit({ key: 'report', prompt: 'Continue the report' });
  const { kind } = (await turn.outcome()).outcome;
  console.log(`${machine} ${kind}: ${found}`);
  await worker.drain();
}
await fleet.close();
