import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { noneLeft } from '../harness/none-left.ts';
import { isTestedNow, pinnedVersion, realCli, testedVersions } from '../harness/real-cli.ts';
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
  /** What it has written to stderr so far. */
  complaint(): string;
}

function startHost(stage: Stage, how: string, cli: string, ...more: string[]): StartedHost {
  const args = [HOST, how, cli, stage.home.project, ...more];
  const host = spawn(process.execPath, args, { env: stage.home.env(), stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  host.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  return { process: host, exited: once(host, 'exit'), complaint: () => complaint };
}

describe.concurrent('a host that dies with a session and a running Bash', () => {
  // Within two seconds: one for the guard, and one for delays on a busy machine.
  it.for(DEATHS)(
    '[R-3] by $how leaves no process of $version',
    { retry: 2 },
    async ({ how, version, code, signal }) => {
      await using stage = await openStage([toolUse('Bash', { command: WAITING })], { version });
      const host = startHost(stage, how, realCli(version));
      host.process.stdout?.resume();
      const bashRuns = (): boolean => stage.processes().some(({ command }) => command === WAITING);
      await Promise.race([waitUntil(bashRuns, { timeoutMs: 45_000, what: 'the running Bash' }), host.exited]);
      expect(host.process.exitCode, host.complaint()).toBeNull();

      host.process.stdin?.write('now\n');
      expect(await host.exited).toEqual([code, signal]);
      await noneLeft(stage, 2_000);
    },
  );
});

/** A CLI behind a wrapper script, such as one that sets up its environment. */
async function wrapperOf(stage: Stage, version: string): Promise<string> {
  const path = join(stage.home.home, 'claude-wrapper');
  await writeFile(path, `#!/bin/sh\n'${realCli(version)}' "$@"\nexit $?\n`, { mode: 0o755 });
  return path;
}

/** Keeps the processors busy until it is disposed of. */
function busyMachine(): Disposable {
  const burners = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  );
  return {
    [Symbol.dispose]() {
      for (const burner of burners) burner.kill('SIGKILL');
    },
  };
}

const KILLED_AT_A_HOOK = [
  ...testedVersions.map((version) => ({ version, behind: 'no script', sessions: 1 })),
  { version: '2.1.197', behind: 'a wrapper script', sessions: 1 },
  { version: '2.1.197', behind: 'no script', sessions: 6 },
];

describe.concurrent('a host that is killed while a guard hook is running', () => {
  it.for(KILLED_AT_A_HOOK.filter(({ version }) => isTestedNow(version)))(
    '[R-3, S-9] leaves no process of $version behind $behind, with $sessions concurrent sessions, and no guarded tool runs',
    { timeout: 120_000 },
    async ({ version, behind, sessions }) => {
      await using stage = await openStage(() => toolUse('Bash', { command: 'touch ran' }), { version });
      const cli = behind === 'no script' ? realCli(version) : await wrapperOf(stage, version);
      const host = startHost(stage, 'SIGKILL', cli, 'ponder', String(sessions));
      const everyGuardAsked = async (): Promise<void> => {
        let asked = '';
        for await (const chunk of host.process.stdout ?? []) {
          asked += chunk;
          if (asked === 'asked\n'.repeat(sessions)) return;
        }
      };
      await Promise.race([everyGuardAsked(), host.exited]);
      expect(host.process.exitCode, host.complaint()).toBeNull();

      using _ = sessions > 1 ? busyMachine() : undefined;
      host.process.stdin?.write('now\n');
      expect(await host.exited).toEqual([null, 'SIGKILL']);
      await noneLeft(stage);
      expect(existsSync(join(stage.home.project, 'ran'))).toBe(false);
    },
  );
});
