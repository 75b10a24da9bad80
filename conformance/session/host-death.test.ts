import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { noneLeft } from '../harness/none-left.ts';
import { pinnedVersion, realCli, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, type Stage } from './stage.ts';

const HOST = fileURLToPath(new URL('./host.mjs', import.meta.url));
const WAITING = 'tail -f /dev/null';

interface Death {
  readonly how: string;
  readonly version: string;
  readonly code: number | null;
  readonly signal: string | null;
}

const DEATHS: readonly Death[] = [
  ...testedVersions.flatMap((version) => [
    { how: 'exit', version, code: 3, signal: null },
    { how: 'SIGTERM', version, code: null, signal: 'SIGTERM' },
    { how: 'SIGKILL', version, code: null, signal: 'SIGKILL' },
  ]),
  { how: 'throw', version: pinnedVersion, code: 1, signal: null },
  { how: 'SIGINT', version: pinnedVersion, code: null, signal: 'SIGINT' },
];

interface StartedHost {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown[]>;
  /** What it wrote to stderr so far. */
  complaint(): string;
}

function startHost(stage: Stage, how: string, version: string, ...more: string[]): StartedHost {
  const args = [HOST, how, realCli(version), stage.home.project, ...more];
  const host = spawn(process.execPath, args, { env: stage.home.env(), stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  host.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  return { process: host, exited: once(host, 'exit'), complaint: () => complaint };
}

describe.concurrent('a host that dies with a session and a running Bash', () => {
  // Within two seconds, of which the guard takes one; a busy machine may take the other, once.
  it.for(DEATHS)('[R-3] by $how leaves nothing of $version', { retry: 2 }, async ({ how, version, code, signal }) => {
    await using stage = await openStage([toolUse('Bash', { command: WAITING })], { version });
    const host = startHost(stage, how, version);
    host.process.stdout?.resume();
    const bashRuns = (): boolean => stage.processes().some(({ command }) => command === WAITING);
    await Promise.race([waitUntil(bashRuns, { timeoutMs: 45_000, what: 'the running Bash' }), host.exited]);
    expect(host.process.exitCode, host.complaint()).toBeNull();

    host.process.stdin?.write('now\n');
    expect(await host.exited).toEqual([code, signal]);
    await noneLeft(stage, 2_000);
  });
});

describe.concurrent('a host that is killed while a guard thinks about a call', () => {
  it.for(testedVersions)('[R-3, S-9] leaves nothing of %s, and the guarded tool does not run', async (version) => {
    await using stage = await openStage([toolUse('Bash', { command: 'touch ran' })], { version });
    const host = startHost(stage, 'SIGKILL', version, 'ponder');
    const asked = host.process.stdout ? once(host.process.stdout, 'data') : host.exited;
    await Promise.race([asked, host.exited]);
    expect(host.process.exitCode, host.complaint()).toBeNull();

    host.process.stdin?.write('now\n');
    expect(await host.exited).toEqual([null, 'SIGKILL']);
    await noneLeft(stage);
    expect(existsSync(join(stage.home.project, 'ran'))).toBe(false);
  });
});
