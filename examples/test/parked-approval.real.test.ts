import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import type { ParkedRequest } from 'coxswain';
import { expect, it } from 'vitest';
import { processesOf } from '../../conformance/harness/processes.ts';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';
import { transpiled } from './transpiled.ts';

it('[G-8, G-9] the example of parked approvals holds no CLI, survives a kill, and runs the tool once after the answer', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cox-home-'));
  const ran = join(home, 'ran');
  await using api = await startFakeApi([toolUse('Bash', { command: `echo ran >> ${ran}` }), text('It is deployed.')]);
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, TMPDIR: home, COXSWAIN_CLI: cliPath(releases().pinned) },
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'dummy', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    APPROVALS: join(home, 'approvals'),
  };
  const programs: ChildProcess[] = [];
  const start = async (...prompt: string[]) => {
    const file = await transpiled(new URL('../parked-approval.ts', import.meta.url));
    const program = spawn(process.execPath, [file, '--real', ...prompt], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    programs.push(program);
    const lines: string[] = [];
    for await (const line of createInterface({ input: program.stdout })) {
      lines.push(line);
      if (line.startsWith('curl')) break;
    }
    const [, authorization = '', url = ''] = /'authorization: (.*)' (.*)$/.exec(lines.at(-1) ?? '') ?? [];
    const call = (path = '', init: RequestInit = {}) => fetch(url + path, { headers: { authorization }, ...init });
    return { program, lines, call };
  };
  try {
    const first = await start('Deploy it.');
    expect(first.lines[0]).toBe('parked');
    expect(processesOf(home).map(({ pid }) => pid)).toEqual([first.program.pid]);
    first.program.kill('SIGKILL');
    await once(first.program, 'exit');

    const { call } = await start();
    const waiting = (await (await call()).json()) as ParkedRequest[];
    expect(waiting.map(({ request }) => request.input)).toEqual([{ command: `echo ran >> ${ran}` }]);
    const [{ hash } = { hash: '' }] = waiting;
    const answer = { method: 'POST', body: JSON.stringify({ decision: 'allow' }) };
    expect((await call(`/${hash}`, { ...answer, headers: {} })).status).toBe(401);
    expect((await call(`/${hash.replace(/./g, '0')}`, answer)).status).toBe(404);
    await expect(readFile(ran)).rejects.toMatchObject({ code: 'ENOENT' });

    const answered = await Promise.all([call(`/${hash}`, answer), call(`/${hash}`, answer)]);
    expect(answered.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await readFile(ran, 'utf8')).toBe('ran\n');
    expect(await (await call()).json()).toEqual([]);
    expect(JSON.stringify(api.conversation.at(-1)?.body.messages)).toContain('Continue from where you left off.');
  } finally {
    for (const program of programs) program.kill('SIGKILL');
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
});
