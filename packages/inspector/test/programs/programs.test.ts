import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApiFailure, AuditEntry, ProgramsPage } from '../../src/api.ts';
import { type InspectOptions, type Inspector, inspect, runningPrograms } from '../../src/index.ts';
import type { Announcement } from '../../src/programs/announce.ts';
import { Browser } from '../support/browser.ts';

let runtime = '';

beforeEach(async () => {
  runtime = await mkdtemp(join(tmpdir(), 'coxswain-test-'));
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  // Other tests announce their inspectors in the shared temporary folder.
  vi.stubEnv('TMPDIR', runtime);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(runtime, { recursive: true });
  });
});

async function opened(options: InspectOptions = {}): Promise<Inspector> {
  const inspector = await inspect([], options);
  onTestFinished(() => inspector.close());
  return inspector;
}

/** The announcement in a file, and the file. */
async function announced(): Promise<Announcement & { readonly file: string }> {
  const [name = ''] = await readdir(join(runtime, 'coxswain'));
  const file = join(runtime, 'coxswain', name);
  return { ...JSON.parse(await readFile(file, 'utf8')), file };
}

/** Writes an announcement like another program. */
async function plant(announcement: object, mode = 0o600): Promise<string> {
  const folder = join(runtime, 'coxswain');
  await mkdir(folder, { mode: 0o700, recursive: true });
  const file = join(folder, '99-99.json');
  await writeFile(file, JSON.stringify(announcement), { mode });
  return file;
}

describe('the programs of this user', () => {
  it('[I-1, I-4] an open inspector is found by its name, logs its user in, and is no longer listed after it closes', async () => {
    const inspector = await opened({ name: 'harbour' });
    const [program, ...others] = await runningPrograms();
    expect(others).toEqual([]);
    expect(program).toMatchObject({ name: 'harbour', pid: process.pid, port: inspector.port, cwd: process.cwd() });
    const token = new URL(program?.url ?? '').hash.replace('#token=', '');
    await new Browser({ url: program?.url ?? '', token }).login();
    await inspector.close();
    expect(await readdir(join(runtime, 'coxswain'))).toEqual([]);
    expect(await runningPrograms()).toEqual([]);
  });

  it('[I-4] only this user can read the file, and the token that the program chose is not in it', async () => {
    const inspector = await opened({ token: 'chosen by the program' });
    const { file, token } = await announced();
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    expect((await lstat(join(runtime, 'coxswain'))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).not.toContain(inspector.token);
    expect(token).toMatch(/^[\w-]{43}$/);
  });

  it('[I-4] with announce: false, nothing is written, and the server sends no proof', async () => {
    const { url } = await opened({ announce: false });
    expect(await readdir(runtime)).toEqual([]);
    expect((await fetch(new URL('api/hello?nonce=0123456789abcdef', url))).status).toBe(404);
  });

  it('[I-4] a folder that others can enter, or a link, is not used; the page opens, and onError is called', async () => {
    const elsewhere = join(runtime, 'elsewhere');
    await mkdir(elsewhere);
    await symlink(elsewhere, join(runtime, 'coxswain'));
    await mkdir(join(runtime, `coxswain-${process.getuid?.()}`));
    await chmod(join(runtime, `coxswain-${process.getuid?.()}`), 0o755);
    const problems: unknown[] = [];
    await opened({ onError: (error) => problems.push(error) });
    expect(String(problems)).toContain('chmod 700');
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await runningPrograms()).toEqual([]);
  });

  it('[I-4] a program that reuses the port of a killed one gets no token and is not listed', async () => {
    const asked: string[] = [];
    const stranger = createServer((request, response) => {
      asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
      response.end('x'.repeat(43));
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const { port } = stranger.address() as AddressInfo;
    const token = 'secret'.repeat(6);
    const about = { name: 'gone', pid: process.pid, port, cwd: '/', startedAt: 1, token, readOnly: false };
    await plant({ ...about, url: `http://127.0.0.1:${port}/` });
    expect(await runningPrograms()).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(asked.join()).not.toContain('secret');
  });

  it('[I-4] malformed files and files that others could have written are ignored', async () => {
    await opened();
    const { file, ...real } = await announced();
    await rm(file);
    const { url } = real;
    const bad: readonly [object, number?][] = [
      [real, 0o644],
      [{ ...real, url: `${url}#token=x` }],
      [{ ...real, url: 'javascript:alert(1)' }],
      [{ ...real, url: 'nonsense' }],
      [{ ...real, name: '' }],
      [{ ...real, pid: 'x' }],
      [{ ...real, padding: 'x'.repeat(20_000) }],
      [[]],
    ];
    for (const [announcement, mode] of bad) {
      const planted = await plant(announcement, mode);
      expect([announcement, await runningPrograms()]).toEqual([announcement, []]);
      await rm(planted);
    }
    await plant(real);
    expect(await runningPrograms()).toHaveLength(1);
  });

  it('[I-4] the file of a process that was killed is removed when it is found', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const about = { name: 'killed', port: 9, cwd: '/', startedAt: 1, token: 'x', url: 'http://127.0.0.1:9/' };
    const file = await plant({ ...about, pid });
    expect(await runningPrograms()).toEqual([]);
    await expect(lstat(file)).rejects.toThrow('ENOENT');
  });
});

describe('the list of programs on the page', () => {
  it('[I-1, I-4] contains no tokens; opening a program needs the page’s own login and is recorded in the audit', async () => {
    const program = await opened({ name: 'harbour' });
    const { token } = await announced();
    const audits: AuditEntry[] = [];
    const list = await opened({ programs: true, announce: false, onAudit: (entry) => audits.push(entry) });
    const browser = await new Browser(list).login();
    const text = await (await browser.fetch('api/programs')).text();
    expect(text).not.toContain(token);
    expect(text).not.toContain(program.token);
    const { programs, canOpen } = JSON.parse(text) as ProgramsPage;
    expect([canOpen, programs.map(({ name }) => name)]).toEqual([true, ['harbour']]);
    const path = `api/programs/${programs[0]?.id}/open`;
    expect((await new Browser(list).post(path, {})).status).toBe(401);
    expect((await new Browser(list).fetch('api/programs')).status).toBe(401);
    expect((await browser.post(path, {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await browser.fetch(path)).status).toBe(404);
    expect((await browser.post('api/programs/1-1/open', {})).status).toBe(404);
    expect(await (await browser.post(path, {})).json()).toEqual({
      url: `${new URL(program.url).origin}/#token=${token}`,
    });
    expect(audits.map(({ action, note, error }) => [action, note, error !== null])).toEqual([
      ['open-program', '1-1', true],
      ['open-program', `harbour (${process.pid})`, false],
    ]);
  });

  it('[I-4, I-5] has no URLs on a page that is read-only or reachable by others', async () => {
    await opened({ name: 'harbour' });
    const limited: readonly InspectOptions[] = [{ readOnly: true }, { allowedHosts: ['agents.example'] }];
    for (const options of limited) {
      const browser = await new Browser(await opened({ ...options, programs: true, announce: false })).login();
      const { programs, canOpen } = await browser.get<ProgramsPage>('api/programs');
      expect([canOpen, programs.length]).toEqual([false, 1]);
      const refused = await browser.post(`api/programs/${programs[0]?.id}/open`, {});
      expect(refused.ok).toBe(false);
      expect(['read-only', 'not-possible']).toContain(((await refused.json()) as ApiFailure).error.code);
    }
    const plain = await new Browser(await opened()).login();
    expect((await plain.fetch('api/programs')).status).toBe(404);
  });
});
