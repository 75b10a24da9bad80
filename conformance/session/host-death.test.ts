import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage } from './stage.ts';

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url));
const WAITING = 'tail -f /dev/null';

describe.concurrent.each(testedVersions)('when a host dies with a session of %s and a running Bash', (version) => {
  it.for([
    ['exit', 3, null],
    ['SIGTERM', null, 'SIGTERM'],
    ['SIGKILL', null, 'SIGKILL'],
  ])('[R-3] by %s, nothing of it stays', async ([how, code, signal]) => {
    await using stage = await openStage([toolUse('Bash', { command: WAITING })], { version });
    const args = ['--import', import.meta.resolve('tsx'), HOST, String(how), realCli(version), stage.home.project];
    const host = spawn(process.execPath, args, { env: stage.home.env(), stdio: ['pipe', 'ignore', 'pipe'] });
    let complaint = '';
    host.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    const exited = once(host, 'exit');
    await Promise.race([stage.runs(WAITING), exited]);
    expect(host.exitCode, complaint).toBeNull();

    host.stdin.write('now\n');
    expect(await exited).toEqual([code, signal]);
    await waitUntil(() => stage.processes().length === 0, { timeoutMs: 2_000, what: 'the end of all processes' });
  });
});
