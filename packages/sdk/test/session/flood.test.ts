import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LONG_FORM } from '../support/long-form.ts';
import { cliPath } from '../support/say.ts';

const run = promisify(execFile);

/** Messages of 0.9 KB. Together they exceed the memory limit below, however far the heap grows before a collection. */
const MESSAGES = LONG_FORM ? 1_000_000 : 400_000;

/** Memory limit. Since Node 24 the heap grows further before a collection; the retained memory is the same. */
const MOST_MB = Number.parseInt(process.versions.node, 10) < 24 ? 160 : 300;

describe('a flood of messages in a session', () => {
  it(`[S-4, S-12] of ${MESSAGES} messages makes an observer that never reads lose only the oldest, and interrupt() is answered`, async () => {
    const host = fileURLToPath(new URL('../fixtures/session-hosts/deaf-observer.mjs', import.meta.url));
    const args = [host, cliPath('flooding-session.mjs'), String(MESSAGES)];
    const { stdout } = await run(process.execPath, args, { timeout: 50_000 });
    const { result, gap, peak, interruptMs } = JSON.parse(stdout);
    expect(result).toBe('done');
    expect(gap).toMatchObject({ kind: 'gap', dropped: expect.any(Number) });
    expect(gap.dropped).toBeGreaterThan(MESSAGES - 10_000);
    expect(peak).toBeLessThan(MOST_MB * 1024 * 1024);
    expect(interruptMs).toBeLessThan(3_000);
  }, 60_000);
});
