import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryCli, recording, script } from '@coxswain/testkit';
import { openSession, query } from 'coxswain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCassette } from '../../src/cassette/read-cassette.ts';
import { ndjson, runCox } from '../run-cox.ts';
import { cox, inTerminal } from '../terminal/pty.ts';

describe.concurrent('cox record and cox replay', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cox-tape-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('[L-1] play a recorded run', async () => {
    const file = join(folder, 'demo.ndjson');
    const live = await runCox(['record', file, '--demo', 'Find the bug']);
    expect(live.code).toBe(0);
    expect(live.stderr).toContain(`recorded: ${file}; play it with: cox replay ${file}`);
    const played = await runCox(['replay', file]);
    expect(played.stdout).toBe(live.stdout);
    expect(played.stderr).toMatch(/^› Find the bug\n∴ thought/);
    expect(played.stderr).toMatch(/✓ completed · .* · 4 tool calls · \d+ tokens · \$0\.0184\n$/);
    expect(played.code).toBe(0);
    const json = await runCox(['replay', file, '--json']);
    expect(ndjson(json.stdout).at(-1)).toMatchObject({ kind: 'result', ok: true, costUsd: 0.0184 });
    const again = await runCox(['record', file, '--demo']);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
  });

  it('[L-1] do not ask again for a recorded permission', async () => {
    const file = join(folder, 'asked.ndjson');
    await using run = inTerminal(cox('record', file, '--demo'));
    await run.until(/Press y, a, n, w or s:$/);
    run.press('y');
    expect(await run.ended).toBe(0);
    expect(readCassette(await readFile(file, 'utf8'))).toMatchObject([{ mode: 'session', asks: true }]);
    await using played = inTerminal(cox('replay', file));
    expect(await played.ended).toBe(0);
    expect(played.screen.text).toMatch(/✓ Edit src\/stroke-rate\.ts → The file/);
    expect(played.screen.text).not.toContain('Allow Edit');
  });

  it('[L-1] play the recording of a one-shot query', async () => {
    const file = join(folder, 'query.ndjson');
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('Hello.')));
    const tape = recording(file, { inner: transport });
    await query('Greet me', { transport: tape, includePartialMessages: true }).text();
    await tape.saved();
    expect(readCassette(await readFile(file, 'utf8'))).toMatchObject([{ mode: 'query', prompts: ['Greet me'] }]);
    expect(await runCox(['replay', file, '--quiet'])).toEqual({ stdout: 'Hello.\n', stderr: '', code: 0 });
  });

  it('[L-1] play the recording of a session whose host changed the model, the mode and other settings', async () => {
    const file = join(folder, 'requests.ndjson');
    const { transport } = inMemoryCli(
      script()
        .onPrompt('count', (turn) => turn.say('One, two.', { everyMs: 5 }).silence())
        .otherwise((turn) => turn.say('Here.')),
    );
    const tape = recording(file, { inner: transport });
    const session = openSession({ transport: tape, includePartialMessages: true });
    await session.setModel('claude-haiku-5-5');
    await session.send('first').result();
    await Promise.all([session.setModel('claude-opus-5-5'), session.setPermissionMode('plan')]);
    await session.contextUsage();
    const counting = session.send('count');
    for await (const message of counting) if (message.type === 'stream_event') await counting.interrupt();
    await session.send('last').result();
    await session.mcpStatus();
    await session.close();
    await tape.saved();
    const [run] = readCassette(await readFile(file, 'utf8'));
    expect(run?.requests.map(({ after, subtype }) => `${after} ${subtype}`)).toEqual([
      '0 set_model',
      '1 set_model',
      '1 set_permission_mode',
      '1 get_context_usage',
      '2 interrupt',
      '3 mcp_status',
    ]);
    const played = await runCox(['replay', file, '--quiet']);
    expect(played.stderr).toMatch(/^– interrupted[^\n]*\n$/);
    expect(played).toMatchObject({ stdout: expect.stringMatching(/^Here\.\n.*Here\.\n$/s), code: 0 });
  });

  it('[L-2] report why a file is not a recording', async () => {
    const file = join(folder, 'other.txt');
    await writeFile(file, 'hello\n');
    expect(await runCox(['replay', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a recording'),
    });
    expect(await runCox(['replay', join(folder, 'none')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read'),
    });
  });
});
