import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { bubblewrap } from '../../scripts/fetch/bubblewrap.mjs';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';

it('[F-1, F-8, F-9] the fleet example submits, follows, approves, cancels and drains', async () => {
  expect(await outputOf(new URL('../fleet/service.ts', import.meta.url))).toEqual([
    'The tests pass. 0.01',
    'claimed',
    'sent',
    'Bash needs an answer',
    'completed',
    'interrupted',
    'tenant is wrong',
    'ann is below its limits and has spent',
    '1 worker 0 waiting',
  ]);
});

it('[F-30, F-31, F-33, F-34] the example of approvals by webhook refuses an unauthorized person, and lists everything in the audit', async () => {
  const lines = await outputOf(new URL('../fleet/approvals.ts', import.meta.url));
  // The end of the turn and the last notice arrive in any order.
  expect(lines.slice(0, 3)).toEqual(['approval.requested Bash for release', 'eve may not answer', 'ann approved']);
  expect(lines.slice(3, 5).sort()).toEqual(['approval.answered Bash for release', 'completed']);
  expect(lines.slice(5)).toEqual([
    'requested the fleet  with the hash',
    'refused eve the release page with the hash',
    'answered ann the release page with the hash',
    'delivered the fleet  with the hash',
  ]);
});

it('[F-1, F-45] the example of a nightly batch reports each repository and the costs', async () => {
  expect(await outputOf(new URL('../fleet/nightly.ts', import.meta.url))).toEqual([
    'completed, 2 left',
    'completed, 1 left',
    'completed, 0 left',
    'boats: The tests pass. ($0.01)',
    'oars: The tests pass. ($0.01)',
    'crew: The tests pass. ($0.01)',
    '3 repositories, 0 failed, $0.03',
    '1 for boats',
  ]);
});

it('[F-40] the example of a coding agent continues a branch on another worker', async () => {
  expect(await outputOf(new URL('../fleet/coding-agent.ts', import.meta.url))).toEqual([
    'one completed',
    'two completed',
    'Release bot: Write notes.txt (machine two)',
    'Release bot: Write notes.txt (machine one)',
    'written on machine two',
  ]);
});

it('[F-42] the example of an archive brings the files of a conversation to another worker', async () => {
  expect(await outputOf(new URL('../fleet/files.ts', import.meta.url))).toEqual([
    'one completed: nothing',
    'two completed: written by one',
  ]);
});

it('[F-48, F-51] the example of releases runs two agents, and moves conversations to a new version', async () => {
  expect(await outputOf(new URL('../fleet/releases.ts', import.meta.url))).toEqual([
    'share 0: 0 of 20 on version 2',
    'share 0.5: 7 of 20 on version 2',
    'share 1: 20 of 20 on version 2',
    '1 waiting: no worker has the agent deploy',
    'next: review 2',
  ]);
});

it('[F-52] the example of a sticky folder continues on the same disk, and reports that files are gone on another', async () => {
  expect(await outputOf(new URL('../fleet/sticky.ts', import.meta.url))).toEqual([
    'one: 1 line',
    'one: 2 lines',
    'two: 1 line, and the agent reads that files are gone',
  ]);
});

it('[V-2] the code in the guide to OpenTelemetry opens a fleet and a worker that trace', async () => {
  expect(await outputOf(new URL('../guides/fleet-tracing.ts', import.meta.url))).toEqual(['traced']);
});

it('[F-50] the example of an isolated worker shows each conversation its own files only', async () => {
  await using api = await startFakeApi(({ lastUserText, toolResults: [result] }) => {
    if (result) return text(result.text);
    const folder = /^Search (\S+)/.exec(lastUserText)?.[1];
    const command = folder ? `find ${folder} -name notes.txt; echo searched` : 'cat notes.txt';
    return toolUse('Bash', {
      command: lastUserText.startsWith('Write') ? `echo of ann > notes.txt; ${command}` : command,
    });
  });
  const env = {
    PATH: [dirname(bubblewrap()), process.env.PATH].join(delimiter),
    COXSWAIN_CLI: cliPath(releases().pinned),
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'dummy' },
  };
  expect(await outputOf(new URL('../fleet/isolated-worker.ts', import.meta.url), env)).toEqual([
    'ann: of ann',
    'bob: searched',
    'ann: of ann',
  ]);
});

/** The lines that a file prints, with an embedded PostgreSQL in a separate folder. */
async function outputOf(file: URL, more: Readonly<Record<string, string | undefined>> = {}): Promise<string[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'cox-fleet-example-'));
  chmodSync(cwd, 0o755);
  const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url));
  const env = { PATH: process.env.PATH, HOME: cwd, COXSWAIN_POSTGRES_BINARIES: POSTGRES_BINARIES, ...more };
  try {
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        process.execPath,
        ['--import', tsx, fileURLToPath(file)],
        { cwd, env, timeout: 50_000 },
        (error, stdout, stderr) => {
          if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
          else resolve(stdout + stderr);
        },
      );
    });
    return output.trimEnd().split('\n');
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
