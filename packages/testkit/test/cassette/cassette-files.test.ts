import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { query } from 'coxswain';
import { CliNotFoundError } from 'coxswain/errors';
import type { Transport } from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { inMemoryCli, recording, replaying, script, scriptedCli } from '../../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

const agent = script().otherwise((turn) => turn.say('Fine.'));

async function recorded(): Promise<string> {
  const file = join(temporaryFolder(), 'some.ndjson');
  const record = recording(file, { inner: inMemoryCli(agent).transport });
  await query('x', { transport: record }).text();
  await record.saved();
  return file;
}

function play(file: string) {
  return query('x', { transport: replaying(file) }).text();
}

describe('a cassette that cannot be played', () => {
  it('[K-3, E-2] is refused with the reason if the file does not exist', async () => {
    const file = join(temporaryFolder(), 'none.ndjson');
    await expect(play(file)).rejects.toMatchObject({
      name: 'CassetteError',
      problem: 'missing',
      message: expect.stringMatching(/none\.ndjson cannot be read: ENOENT.* Record it with recording\("/),
    });
  });

  it('[K-3] is refused if only the partial file of an interrupted recording exists', async () => {
    const file = join(temporaryFolder(), 'cut.ndjson');
    const record = recording(file, {
      inner: inMemoryCli(script().otherwise((turn) => turn.say('…').silence())).transport,
    });
    const stream = query('x', { transport: record });
    for await (const message of stream) {
      if (message.type !== 'assistant') continue;
      // The files after a crash at this moment.
      expect(existsSync(file)).toBe(false);
      const partial = `${file}.1.partial`;
      expect(readFileSync(partial, 'utf8').split('\n')[0]).toContain('"unfinished":true');
      await expect(play(file)).rejects.toMatchObject({
        problem: 'unfinished',
        message: expect.stringContaining('only cut.ndjson.1.partial of an incomplete recording'),
      });
      await expect(play(partial)).rejects.toMatchObject({ problem: 'unfinished', line: 1 });
      break;
    }
    await stream.close();
    await record.saved();
    expect(readdirSync(join(file, '..'))).toEqual(['cut.ndjson']);
  });

  it('[K-3] is refused if the file was truncated at any point', async () => {
    const file = await recorded();
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    for (let kept = 0; kept < lines.length; kept++) {
      writeFileSync(
        file,
        lines
          .slice(0, kept)
          .map((line) => `${line}\n`)
          .join(''),
      );
      await expect(play(file)).rejects.toMatchObject({ problem: kept === 0 ? 'corrupt' : 'unfinished' });
    }
    writeFileSync(file, lines.join('\n').slice(0, -8));
    await expect(play(file)).rejects.toMatchObject({ problem: 'corrupt', line: lines.length });
  });

  it.each([
    ['another format', (lines: string[]) => lines.with(0, '{"coxswainCassette":2}'), 'version', 1],
    ['an incomplete header', (lines: string[]) => lines.with(0, '{"coxswainCassette":1}'), 'corrupt', 1],
    ['no header', (lines: string[]) => lines.slice(1), 'corrupt', 1],
    ['a line that is not JSON', (lines: string[]) => lines.with(2, '<<<<<<< HEAD'), 'corrupt', 3],
    ['a line that is not an entry', (lines: string[]) => lines.with(2, '{"at":1,"dir":"sideways"}'), 'corrupt', 3],
    ['an entry without content', (lines: string[]) => lines.with(2, '{"at":1,"dir":"out"}'), 'corrupt', 3],
    ['a missing run', (lines: string[]) => lines.with(-1, '{"dir":"end","runs":2}'), 'corrupt', undefined],
    ['an entry after the end', (lines: string[]) => [...lines, '{"at":1,"dir":"in-end"}'], 'corrupt', undefined],
    [
      'an entry after the exit',
      (lines: string[]) => lines.toSpliced(-1, 0, '{"at":1,"dir":"in-end"}'),
      'corrupt',
      undefined,
    ],
  ] as const)('[K-3] is rejected with the problem and its line if it has %s', async (_, damage, problem, line) => {
    const file = await recorded();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, damage(lines).join('\n'));
    await expect(play(file)).rejects.toMatchObject({ problem, file, line: line ?? expect.any(Number) });
  });
});

describe('a recording', () => {
  it('[K-3] is complete when its program ends, and marked as partial when the program dies', async () => {
    const folder = temporaryFolder();
    await using cli = await scriptedCli(agent);
    const host = (how: string): Promise<number | null> => {
      const program = fileURLToPath(new URL('./host.ts', import.meta.url));
      const argv = ['--import', 'tsx', program, how, cli.path, join(folder, `${how}.ndjson`)];
      const child = spawn(process.execPath, argv, { stdio: 'inherit' });
      return new Promise((resolve) => child.once('exit', resolve));
    };
    expect(await Promise.all([host('end'), host('crash')])).toEqual([0, 3]);
    expect(readdirSync(folder).sort()).toEqual(['crash.ndjson.1.partial', 'end.ndjson']);
    expect(await play(join(folder, 'end.ndjson'))).toBe('Fine.');
    await expect(play(join(folder, 'crash.ndjson'))).rejects.toMatchObject({ problem: 'unfinished' });
  });

  it('[K-3, C-10] passes private files to the CLI it has found', async () => {
    const file = join(temporaryFolder(), 'x.ndjson');
    await using cli = await scriptedCli(agent);
    const mcpServers = { local: { command: 'db', env: { PASSWORD: 'quite-secret' } } };
    const record = recording(file, { cli: cli.path });
    await query('x', { transport: record, mcpServers }).text();
    await record.saved();
    const [run] = await cli.runs();
    const path = run?.argv[run.argv.indexOf('--mcp-config') + 1];
    expect(path).toMatch(/^\/dev\/fd\/\d+$|mcp/);
    expect(await query('x', { transport: replaying(file), mcpServers }).text()).toBe('Fine.');
  });

  it('[K-3] of a missing CLI fails with the usual error, and leaves no file', async () => {
    const folder = temporaryFolder();
    const record = recording(join(folder, 'x.ndjson'), { cli: join(folder, 'claude') });
    await expect(query('x', { transport: record }).text()).rejects.toThrow(CliNotFoundError);
    await expect(record.saved()).rejects.toMatchObject({
      problem: 'nothing-recorded',
      message: expect.stringContaining('the CLI could not be started'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[K-3] into a folder that cannot be created fails before the CLI starts', async () => {
    const blocked = join(temporaryFolder(), 'file');
    writeFileSync(blocked, '');
    const cli = inMemoryCli(agent);
    const record = recording(join(blocked, 'x.ndjson'), { inner: cli.transport });
    await expect(query('x', { transport: record }).text()).rejects.toMatchObject({ problem: 'not-written' });
    expect(cli.runs()[0]?.prompts ?? []).toEqual([]);
    await expect(record.saved()).rejects.toMatchObject({ problem: 'not-written' });
  });

  it('[K-3] rejects saved() if no run has used it, because no file exists', async () => {
    const file = join(temporaryFolder(), 'x.ndjson');
    const record = recording(file, { inner: inMemoryCli(agent).transport });
    await expect(record.saved()).rejects.toMatchObject({ problem: 'nothing-recorded', file });
  });

  it('[K-3] waits in saved() for a run that has just been started', async () => {
    const file = join(temporaryFolder(), 'x.ndjson');
    const record = recording(file, { inner: inMemoryCli(agent).transport });
    const text = query('x', { transport: record }).text();
    await record.saved();
    expect(readFileSync(file, 'utf8')).toContain('Fine.');
    expect(await text).toBe('Fine.');
  });

  it('[K-3, E-4] records the run of a transport whose `exited` rejects', async () => {
    const file = join(temporaryFolder(), 'x.ndjson');
    const inner = (): Transport => {
      const cli = inMemoryCli(agent).transport();
      const exited = cli.exited.then(() => Promise.reject(new Error('lost')));
      exited.catch(() => {});
      return new Proxy(cli, {
        get: (target, name) => {
          const value: unknown = name === 'exited' ? exited : Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    };
    const record = recording(file, { inner });
    expect(await query('x', { transport: record }).text()).toBe('Fine.');
    await record.saved();
    expect(readFileSync(file, 'utf8')).toContain('Fine.');
  });

  it('[K-3] rejects saved() if it cannot be saved', async () => {
    const file = join(temporaryFolder(), 'x.ndjson');
    mkdirSync(join(file, 'in the way'), { recursive: true });
    const record = recording(file, { inner: inMemoryCli(agent).transport });
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    expect(await query('x', { transport: record }).text()).toBe('Fine.');
    await expect(record.saved()).rejects.toMatchObject({ name: 'CassetteError', problem: 'not-written', file });
    expect((await warned).message).toContain('could not be written');
  });
});
