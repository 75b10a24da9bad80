/** A coding agent whose conversations are branches of a Git repository: two workers, one review in between. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, gitWorkspace, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';

const folder = mkdtempSync(join(tmpdir(), 'coding-agent-'));
const remote = join(folder, 'app.git'); // in the role of git@github.com:acme/app.git
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
git('init', '--quiet', '--bare', '--initial-branch=main', remote);

// #region agent
const agent = (machine: string) =>
  defineAgent({
    workspace: gitWorkspace({
      remote,
      directory: join(folder, machine), // by default a folder in the system's temporary folder
      author: { name: 'Release bot', email: 'bot@example.com' },
    }),
    options: () => ({
      ...scripted(), // no key, no network; a real agent edits files with its tools
      permissionMode: 'acceptEdits',
    }),
  });
// #endregion

const fleet = await openFleet({ database: process.env.COXSWAIN_DATABASE_URL });
const database = process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl;

for (const machine of ['one', 'two']) {
  const worker = await startWorker({ database, agent: withEdit(agent(machine), `written on machine ${machine}\n`) });
  const turn = await fleet.submit({ key: 'fix-login', prompt: `Write notes.txt (machine ${machine})` });
  console.log(machine, (await turn.outcome()).outcome.kind);
  await worker.drain();
}
console.log(git('--git-dir', remote, 'log', '--format=%an: %s', 'coxswain/fix-login'));
console.log(git('--git-dir', remote, 'show', 'coxswain/fix-login:notes.txt'));
await fleet.close();

function scripted(): { transport: ReturnType<typeof inMemoryCli>['transport'] } {
  return { transport: inMemoryCli(script().otherwise((turn) => turn.say('Done.'))).transport };
}

/** The scripted agent has no tools: this writes the file that a real one would write. */
function withEdit(given: ReturnType<typeof agent>, text: string): ReturnType<typeof agent> {
  const { workspace } = given;
  if (workspace === undefined) return given;
  return {
    ...given,
    workspace: {
      ...workspace,
      async prepare(job) {
        const place = await workspace.prepare(job);
        writeFileSync(join(place.cwd, 'notes.txt'), text);
        return place;
      },
    },
  };
}
