import { spawn } from 'node:child_process';
import { script, scriptedCli } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { ndjson, runCox } from '../run-cox.ts';
import { COX } from '../terminal/pty.ts';

describe.concurrent('background work in cox run', () => {
  it('[L-1, M-8] includes the cost, tokens and time of the turn that the CLI starts afterwards', async () => {
    await using cli = await scriptedCli(agent(300));
    const shown = await runCox(['run', '--cli', cli.path, 'Start it']);
    expect(shown.stdout).toBe('Started.\nEnded.\n');
    expect(shown.stderr).toMatch(/^✓ completed · .* · \$2\.05$/m);
    const json = await runCox(['run', '--cli', cli.path, '--json', 'Start it']);
    const lines = ndjson(json.stdout);
    const last = lines.at(-1);
    expect(last).toMatchObject({ kind: 'result', ok: true, costUsd: 2.05, totalCostUsd: 2.05, exitCode: 0 });
    expect(last?.durationMs).toBeGreaterThanOrEqual(300);
    const tokens = lines.flatMap(({ message }) => outputTokens(message)).reduce((sum, count) => sum + count, 0);
    expect(last?.usage).toMatchObject({ outputTokens: tokens });
  });

  it('[L-2] is reported as cut off after Ctrl-C during the wait, with exit code 130', async () => {
    await using cli = await scriptedCli(agent(60_000));
    const child = spawn(process.execPath, [COX, 'run', '--cli', cli.path, 'Start it'], {
      env: { PATH: process.env.PATH, HOME: '/nonexistent' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 45_000,
      killSignal: 'SIGKILL',
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('Started.')) resolve();
      });
    });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stderr).toMatch(/^– interrupted: work in the background was cut off · /m);
    expect(stderr).not.toContain('completed');
  });
});

/** Starts a background command, answers for $2, and answers for 5 cents when the command has ended. */
function agent(runsMs: number): ReturnType<typeof script> {
  return script().otherwise((turn) =>
    turn
      .runInBackground('sleep', { runsMs }, (after) => after.say('Ended.').result({ costUsd: 0.05, durationMs: 40 }))
      .say('Started.')
      .result({ costUsd: 2, durationMs: 90 }),
  );
}

function outputTokens(message: unknown): number[] {
  const { type, usage }: { type?: unknown; usage?: { output_tokens?: number } } = { ...Object(message) };
  return type === 'result' ? [usage?.output_tokens ?? 0] : [];
}
