import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { processesOf } from '../../conformance/harness/processes.ts';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';
import type { Waiting } from '../service/approvals.ts';
import { transpiled } from './transpiled.ts';

const ID = '6b1f6c5e-0000-4000-8000-000000000001';

it('[K-1, G-8] the example of a service keeps an approval on the real CLI when it is killed, runs the call once, and ends on SIGTERM', {
  timeout: 240_000,
}, async () => {
  const home = await mkdtemp(join(tmpdir(), 'cox-service-'));
  const ran = join(home, 'ran');
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin/npm'), `#!/bin/sh\necho "$@" >> ${ran}\n`);
  await chmod(join(home, 'bin/npm'), 0o755);
  await using api = await startFakeApi([toolUse('Bash', { command: 'npm publish' }), text('It is published.')]);
  const env = {
    ...{ PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, TMPDIR: home, WORKSPACE: home, PORT: '0' },
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'dummy', COXSWAIN_CLI: cliPath(releases().pinned) },
    ...{ FOLDER: join(home, 'data'), STAFF_TOKEN: 'of-the-staff', CUSTOMERS: '{"of-ann":"ann"}' },
    // Nothing listens there: a service must not depend on its collector.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  };
  const programs: ChildProcess[] = [];
  const start = async () => {
    const file = await transpiled(new URL('../service/main.ts', import.meta.url));
    const program = spawn(process.execPath, [file], { env, cwd: home, stdio: ['ignore', 'pipe', 'inherit'] });
    programs.push(program);
    const [line] = await once(createInterface({ input: program.stdout }), 'line');
    const call = (token: string, path: string, body?: object) =>
      fetch(String(line).replace('/page', path), {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(20_000),
      });
    const waiting = async () => (await (await call('of-the-staff', '/approvals')).json()) as Waiting[]; // as it lists them
    return { program, call, waiting };
  };
  try {
    const first = await start();
    expect((await first.call('of-ann', `/conversations/${ID}/prompts`, { prompt: 'Publish it.' })).status).toBe(202);
    const file = () => readFile(join(home, 'data/approvals/ann', `${hash}.request`), 'utf8').catch(() => '');
    let hash = '';
    await expect.poll(async () => (hash = (await first.waiting())[0]?.hash ?? ''), { timeout: 60_000 }).not.toBe('');
    await expect.poll(file, { timeout: 60_000 }).not.toBe('');
    first.program.kill('SIGKILL');
    await once(first.program, 'exit');
    await expect.poll(() => processesOf(home).length, { timeout: 60_000 }).toBe(0);

    const second = await start();
    expect((await second.waiting()).map((one) => [one.hash, one.input])).toMatchObject([
      [hash, { command: 'npm publish' }],
    ]);
    await expect(readFile(ran)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await second.call('of-the-staff', `/approvals/${hash}`, { decision: 'allow' })).status).toBe(200);
    await expect.poll(() => readFile(ran, 'utf8').catch(() => ''), { timeout: 60_000 }).toBe('publish\n');
    await expect.poll(() => second.waiting(), { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => api.conversation.length, { timeout: 60_000 }).toBe(2);

    second.program.kill('SIGTERM');
    const [code] = await once(second.program, 'exit', { signal: AbortSignal.timeout(30_000) });
    expect(code).toBe(0);
    expect(processesOf(home)).toEqual([]);
  } finally {
    for (const program of programs) program.kill('SIGKILL');
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
});
