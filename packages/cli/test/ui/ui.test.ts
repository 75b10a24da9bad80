import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCox } from '../run-cox.ts';
import { COX } from '../terminal/pty.ts';

/** Starts `cox ui` and waits for its first line. */
async function startUi(...args: string[]) {
  const child = spawn(process.execPath, [COX, 'ui', ...args], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
    timeout: 14_000,
    killSignal: 'SIGKILL',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`cox ui ended: ${stderr}`)));
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  return { line, ended, interrupt: () => child.kill('SIGINT') };
}

async function login(address: string): Promise<{ origin: string; cookie: string }> {
  const { origin, hash } = new URL(address);
  const answer = await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', 'x-coxswain-inspector': '1' },
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  });
  return { origin, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

describe('cox ui', () => {
  it('[I-1, L-2] prints its address on stdout, shows the demo and ends at Ctrl-C with 0', async () => {
    const { line, ended, interrupt } = await startUi('--demo', '--port', '0');
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    const { origin, cookie } = await login(line);
    const answer = await fetch(`${origin}/api/conversations`, { headers: { cookie } });
    const { conversations } = (await answer.json()) as { conversations: { kind: string }[] };
    expect(conversations.map(({ kind }) => kind)).toEqual(['process', 'process', 'process', 'process']);
    interrupt();
    expect(await ended).toBe(0);
  });

  it('[I-4, L-2] refuses an address of the network without allowed hosts and a token, and a missing file', async () => {
    const open = await runCox(['ui', '--host', '0.0.0.0']);
    expect([open.code, open.stdout]).toEqual([2, '']);
    expect(open.stderr).toContain('allowedHosts');
    const missing = await runCox(['ui', '/nowhere.ndjson']);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('/nowhere.ndjson');
  });
});
