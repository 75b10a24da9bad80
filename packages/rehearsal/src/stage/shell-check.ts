import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { RehearsalError } from '../rehearsal-error.ts';
import { LONGEST_WAIT_MS, PATIENT } from './patience.ts';
import { recordedShell } from './recorded-shell.ts';

/**
 * Makes a CLI run a harmless command, and checks that the CLI calls the recorded shell: otherwise commands would run for
 * real. Each CLI is checked once per process.
 * @throws RehearsalError if the command was run
 */
export function checkShell(cli: string): Promise<void> {
  let check = checks.get(cli);
  if (check === undefined) {
    check = checkOnce(cli);
    checks.set(cli, check);
    check.catch(() => checks.delete(cli));
  }
  return check;
}

const checks = new Map<string, Promise<void>>();

async function checkOnce(cli: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'coxswain-rehearsal-'));
  try {
    const workspace = join(root, 'workspace');
    await mkdir(workspace);
    const shell = await recordedShell(join(root, 'shell'));
    await shell.expect(COMMAND, { outcome: 'ran', text: 'recorded', isError: false });
    await using api = await startFakeApi([toolUse('Bash', { command: COMMAND }), text('done')], {
      fallback: text('done'),
    });
    const { env, ...options } = api.agentOptions;
    const session = openSession({
      ...options,
      env: { ...env, ...shell.env },
      cli,
      cwd: workspace,
      settingSources: [],
      allowedTools: ['Bash'],
      timeoutMs: LONGEST_WAIT_MS,
      limits: PATIENT,
    });
    try {
      await session.send('Check.').result();
    } finally {
      await session.close();
    }
    const results = api.conversation.flatMap(({ toolResults }) => toolResults.map((result) => result.text));
    if (results.includes('recorded') && (await shell.wasCalled())) return;
    throw new RehearsalError(
      'unsafe',
      `${cli} does not use the shell that CLAUDE_CODE_SHELL names, so recorded commands would run for real.`,
    );
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

const COMMAND = 'echo $((6*7))';
