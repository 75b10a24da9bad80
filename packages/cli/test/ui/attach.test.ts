import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Inspector, inspect } from '@coxswain/inspector';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { attach } from '../../src/ui/attach.ts';
import { type Finished, ndjson, runCox } from '../run-cox.ts';
import { fakeTerminal } from '../terminal/fake-terminal.ts';
import { conversationsAt } from './start-ui.ts';

let runtime = '';
const open: Inspector[] = [];

beforeAll(async () => {
  runtime = await mkdtemp(join(tmpdir(), 'cox-attach-'));
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  // Other tests announce their inspectors in the shared temporary folder.
  vi.stubEnv('TMPDIR', runtime);
});

afterAll(async () => {
  await Promise.all(open.map((inspector) => inspector.close()));
  vi.unstubAllEnvs();
  await rm(runtime, { recursive: true });
});

function ui(...args: string[]): Promise<Finished> {
  return runCox(['ui', ...args], { env: { XDG_RUNTIME_DIR: runtime, TMPDIR: runtime } });
}

describe('cox ui --attach', () => {
  it('[I-1, I-4, L-2] reports that no program is running, or prints the URL of the running one; a list contains no token', async () => {
    const none = await ui('--attach');
    expect([none.code, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('inspect()');
    const harbour = await inspect([], { name: 'harbour\u001b[31m' });
    open.push(harbour);
    const attached = await ui('--attach');
    expect([attached.code, attached.stderr]).toEqual([0, '']);
    expect(await conversationsAt(attached.stdout.trim())).toEqual([]);
    const list = await ui('--list');
    expect(list.stdout).toMatch(new RegExp(`harbour +${process.pid} +${harbour.port} `));
    expect(list.stdout).not.toContain('\u001b[31m');
    const json = await ui('--list', '--json');
    expect(ndjson(json.stdout)).toMatchObject([{ port: harbour.port }]);
    const { hash } = new URL(attached.stdout.trim());
    for (const { stdout } of [list, json]) expect(stdout).not.toContain(hash.replace('#token=', ''));
  });

  it('[L-2] accepts a name, a port or a URL, and asks which one if several match', async () => {
    const quay = await inspect([], { name: 'quay' });
    open.push(quay);
    const { terminal, screen } = fakeTerminal(200);
    for (const wanted of ['quay', String(quay.port), `http://127.0.0.1:${quay.port}/`]) {
      expect(await attach(wanted, {}, terminal)).toBe(0);
    }
    const address = `http://127.0.0.1:${quay.port}/#token=`;
    expect(screen.lines.filter((line) => line.startsWith(address))).toHaveLength(3);
    await expect(attach(String(process.pid), {}, terminal)).rejects.toThrow(`quay (${process.pid}), harbour`);
    await expect(attach('nowhere', {}, terminal)).rejects.toThrow('matches nowhere');
  });
});
