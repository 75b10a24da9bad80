/** A worker whose agents see only the files of their own conversation. Needs Linux, bubblewrap (`bwrap` in PATH) and the real CLI. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveWorkspace, defineAgent, folderArchive, openFleet, startWorker } from '@coxswain/fleet';

const folder = await mkdtemp(join(tmpdir(), 'fleet-isolated-'));
const files = { store: folderArchive(join(folder, 'shared')), directory: join(folder, 'work') };
const fleet = await openFleet({ database: process.env.COXSWAIN_DATABASE_URL });
const database = process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl;

// #region worker
const worker = await startWorker({
  database,
  isolate: 'bubblewrap', // without a working bubblewrap, the worker does not start
  agent: defineAgent({
    workspace: archiveWorkspace(files),
    options: () => ({ allowedTools: ['Bash'] }),
  }),
});
// #endregion

for (const [key, prompt] of [
  ['ann', 'Write "of ann" to notes.txt.'],
  ['bob', `Search ${folder} for notes.txt.`],
  ['ann', 'Read notes.txt.'],
] as const) {
  const { outcome } = await (await fleet.submit({ key, prompt })).outcome();
  console.log(`${key}: ${outcome.kind === 'completed' ? outcome.text : outcome.kind}`);
}
await worker.drain();
await fleet.close();
await rm(folder, { recursive: true });
