// A worker process whose conversations are branches of a Git remote. Its configuration is JSON in the first argument. Its agent writes
// the prompt of the turn into work.txt.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { defineAgent, gitWorkspace, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';

const { remote, directory, env, ...options } = JSON.parse(process.argv[2] ?? '{}');

// The parent process has exited.
process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGKILL'));

const files = gitWorkspace({ remote, directory, env });

await startWorker({
  ...options,
  agent: defineAgent({
    workspace: {
      ...files,
      async prepare(job) {
        const place = await files.prepare(job);
        await writeFile(join(place.cwd, 'work.txt'), `${job.prompt}\n`);
        return place;
      },
    },
    options: (job) => ({
      transport: inMemoryCli(script().otherwise((turn) => turn.say(`did ${job.prompt}`))).transport,
    }),
  }),
});
process.stdout.write('ready\n');
