import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { fakePool } from './pool/fake-pool.ts';
import { start as startSupervised } from './restart/stage.ts';
import { FakeCli, settle, start } from './support/fake-cli.ts';
import { fakeClock, pass } from './support/fake-clock.ts';

const PACKAGES = fileURLToPath(new URL('../..', import.meta.url));

/** Files that may read the time of day, and the purpose. Deadlines and durations use `steadyNow` or `performance.now`. */
const TIME_OF_DAY: Readonly<Record<string, string>> = {
  'cli/src/commands/rehearse.ts': 'compared with the times of files',
  'cli/src/fleet/approvals.ts': 'compared with the times in the database',
  'cli/src/fleet/commands.ts': 'compared with the times in the database',
  'cli/src/fleet/quota.ts': 'the day that is shown',
  'cli/src/fleet/release.ts': 'compared with the times in the database',
  'cli/src/fleet/status.ts': 'compared with the times in the database',
  'cli/src/fleet/workers.ts': 'compared with the times in the database',
  'cli/src/run/human-view.ts': 'compared with the timestamps of items',
  'cli/src/sessions/list.ts': 'compared with the times of files',
  'cli/src/ui/attach.ts': 'compared with the times at which programs started',
  'sdk/src/callbacks/permission-dispatch.ts': 'timestamps of permission requests',
  'sdk/src/cli/install-download.ts': 'compared with the times of files',
  'sdk/src/cli/install-lock.ts': 'compared with the times of files',
  'sdk/src/conversation/frame-receiver.ts': 'timestamps of items',
  'sdk/src/conversation/parking.ts': 'timestamps of parked requests and of entries',
  'sdk/src/conversation/turn-queue.ts': 'timestamps of items',
  'sdk/src/conversation/turn-runner.ts': 'timestamps of prompts for observers',
  'sdk/src/pool/job.ts': 'the time of submit() for observers',
  'sdk/src/process/private-files.ts': 'compared with the times of files',
  'sdk/src/query/one-shot.ts': 'timestamps of items',
  'sdk/src/report/audience.ts': 'timestamps of events',
  'sdk/src/report/report.ts': 'timestamps of prompts for observers',
  'sdk/src/restart/pause-clock.ts': 'compared with the time the API gives',
  'sdk/src/session/spent-turn.ts': 'timestamps of items',
  'sdk/src/store/memory-store.ts': 'the time of the last change',
  'sdk/src/stream/feed.ts': 'timestamps of items',
  'sdk/src/transcripts/marks.ts': 'when a conversation was archived',
  'testkit/src/cassette/cassette-writer.ts': 'the date of a recording',
  'testkit/src/scripted/executable.ts': 'timestamps of what a scripted CLI writes',
  'testkit/src/scripted/in-memory.ts': 'timestamps of what a scripted CLI writes',
  'testkit/src/stale-directories.ts': 'compared with the times of files',
  'testkit/src/store-contract/optional.ts': 'compared with the time of the last change',
};

it('[R-8] the source uses the time of day only for timestamps, because it can be set back', () => {
  const files = ['sdk', 'testkit', 'cli', 'rehearsal'].flatMap((name) =>
    readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${name}/src/${file}`,
    ),
  );
  const asking = files.filter(
    (file) => file.endsWith('.ts') && /\bDate\.now\b|\bnew Date\(\)/.test(readFileSync(join(PACKAGES, file), 'utf8')),
  );
  expect(asking.sort()).toEqual(Object.keys(TIME_OF_DAY));
});

describe('setting the clock back by an hour', () => {
  fakeClock();
  const setBack = (): void => void vi.setSystemTime(Date.now() - 3_600_000);

  it('[R-8, P-3] does not extend the timeout of a permission', async () => {
    const cli = new FakeCli();
    await start({ canUseTool: () => new Promise(() => {}), limits: { permissionTimeoutMs: 1_000 } }, cli);
    cli.askPermission('p1');
    await settle();
    setBack();
    await pass(1_000);
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny' });
  });

  it('[R-8, H-6] does not extend the timeout of a hook', async () => {
    const cli = new FakeCli();
    await start({ hooks: { PreToolUse: { run: () => new Promise(() => {}), timeoutMs: 1_000 } } }, cli);
    cli.askHook('h1');
    await settle();
    setBack();
    await pass(1_000);
    expect(cli.story).toContain('answer h1');
  });

  it('[R-8, A-3] does not extend the pauses of a restarting session', async () => {
    const { session, cli1 } = await startSupervised(
      {},
      { rateLimit: { delayMs: 1_000, maxDelayMs: 60_000, jitter: 0 } },
    );
    for (const [prompt, ms] of [
      ['one', 1_000],
      ['two', 2_000],
    ] as const) {
      const turn = session.send(prompt);
      cli1.finish(await cli1.got(`prompt ${prompt}`), '', {
        is_error: true,
        api_error_status: 529,
        result: 'API Error: 529',
      });
      await turn.result();
      expect(session.paused).toMatchObject({ until: Date.now() + ms });
      setBack();
      await pass(ms);
      expect(session.paused).toBeUndefined();
    }
  });

  it('[R-8, A-3, A-4] does not extend the current or the next pause of a pool', async () => {
    const { pool, events } = fakePool({ size: 1 }, (cli, prompt) => {
      cli.begin(prompt);
      cli.finish(prompt, 'API Error: 529', { is_error: true, api_error_status: 529 });
    });
    for (const _ of ['first', 'second']) {
      await pool.submit({ key: 'a', prompt: 'hello' }).outcome;
      const paused = events.findLast((event) => event.type === 'paused');
      const ms = paused ? paused.until - paused.at : 0;
      expect(ms).toBeLessThanOrEqual(10_000);
      setBack();
      await pass(ms);
      expect(pool.stats().pausedUntil).toBeNull();
    }
  });
});
