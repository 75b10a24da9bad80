import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { noneLeft } from '../harness/none-left.ts';
import { isTestedNow, pinnedVersion, realCli } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOST = fileURLToPath(new URL('../harness/host.mjs', import.meta.url));
const WAITING = 'tail -f /dev/null';

const DEATHS = [
  { how: 'exit', version: pinnedVersion, code: 3, signal: null },
  { how: 'throw', version: pinnedVersion, code: 1, signal: null },
  { how: 'SIGINT', version: pinnedVersion, code: null, signal: 'SIGINT' },
  { how: 'SIGTERM', version: pinnedVersion, code: null, signal: 'SIGTERM' },
  { how: 'SIGKILL', version: pinnedVersion, code: null, signal: 'SIGKILL' },
  { how: 'exit', version: '2.1.197', code: 3, signal: null },
  { how: 'SIGKILL', version: '2.1.197', code: null, signal: 'SIGKILL' },
];

describe.concurrent('a host that dies in a turn with a running Bash', () => {
  // Within two seconds: one for the guard, and one for delays on a busy machine.
  it.for(DEATHS.filter(({ version }) => isTestedNow(version)))(
    '[R-3] by $how leaves no process of $version',
    { retry: 2 },
    async ({ how, version, code, signal }) => {
      await using scene = await openScene([toolUse('Bash', { command: WAITING })], { version });
      const args = [HOST, how, realCli(version), scene.home.project];
      const host = spawn(process.execPath, args, { env: scene.home.env(), stdio: ['pipe', 'ignore', 'pipe'] });
      let complaint = '';
      host.stderr.on('data', (chunk) => {
        complaint += chunk;
      });
      const bashRuns = (): boolean => {
        expect(host.exitCode, complaint).toBeNull();
        return scene.processes().some(({ command }) => command === WAITING);
      };
      await waitUntil(bashRuns, { timeoutMs: 45_000, what: 'the running Bash' });

      host.stdin.write('now\n');
      expect(await once(host, 'exit')).toEqual([code, signal]);
      await noneLeft(scene, 2_000);
    },
  );
});
