import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { COX } from '../terminal/pty.ts';

/** A running `cox ui`. */
export interface RunningUi {
  /** The first line on stdout. */
  readonly line: string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  interrupt(): void;
}

/** A conversation in the list of the page, with the fields that the tests read. */
interface Listed {
  readonly kind: string;
  readonly key: string | null;
}

/** Starts `cox ui` and waits for its first line. */
export async function startUi(
  args: readonly string[],
  { cwd, timeoutMs = 14_000 }: { readonly cwd?: string; readonly timeoutMs?: number } = {},
): Promise<RunningUi> {
  const child = spawn(process.execPath, [COX, 'ui', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
    timeout: timeoutMs,
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
  return { line, ended, interrupt: () => void child.kill('SIGINT') };
}

/** Logs in at the printed URL, and returns the listed conversations. */
export async function conversationsAt(address: string): Promise<readonly Listed[]> {
  const { origin, hash } = new URL(address);
  const entered = await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', 'x-coxswain-inspector': '1' },
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  });
  const { key } = (await entered.json()) as { key: string };
  const answer = await fetch(`${origin}/api/conversations`, { headers: { 'x-coxswain-inspector': key } });
  return ((await answer.json()) as { conversations: Listed[] }).conversations;
}
