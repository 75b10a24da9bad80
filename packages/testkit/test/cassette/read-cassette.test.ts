import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inMemoryCli, readCassette, recording, script } from '../../src/index.ts';

describe('readCassette', () => {
  it('[K-3] returns the runs with their events in order, and reports an invalid file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'read-cassette-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'hello.ndjson');
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('Hello.')));
    const tape = recording(file, { inner: transport });
    const session = openSession({ transport: tape });
    await session.send('hi').result();
    await session.close();
    await tape.saved();
    const [run, ...others] = await readCassette(file);
    expect(others).toEqual([]);
    expect(run?.header).toMatchObject({ run: 1, mode: 'session' });
    const times = run?.entries.map(({ at }) => at) ?? [];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(run?.entries.at(-1)?.dir).toBe('exit');
    await expect(readCassette(join(folder, 'missing.ndjson'))).rejects.toMatchObject({ problem: 'missing' });
  });
});
