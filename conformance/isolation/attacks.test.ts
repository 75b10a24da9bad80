import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { text, toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { bubblewrap } from '../../scripts/fetch/bubblewrap.mjs';
import { realCli } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { type Attack, attacksOn, networkAttacksOn } from './attacks.ts';
import { startEgressProxy } from './egress-proxy.ts';
import { startVictim } from './victim.ts';

const HOST = fileURLToPath(new URL('./attacked-host.mjs', import.meta.url));

const NOBODY = { uid: 65_534, gid: 65_534 };

/** Root can start programs as another user, who has no rights that bubblewrap would have to take away. */
const USERS: readonly (readonly [string, Partial<typeof NOBODY>])[] =
  process.getuid?.() === 0
    ? [
        ['root', {}],
        ['nobody', NOBODY],
      ]
    : [['this user', {}]];

/** Runs the attacks as calls of Bash, one after the other, in a query of a program of its own; returns what each printed. */
async function printedBy(
  scene: Scene,
  attacks: readonly Attack[],
  how: { readonly user: Partial<typeof NOBODY>; readonly network?: object; readonly env?: Record<string, string> },
): Promise<string[]> {
  const { home, api } = scene;
  const { user } = how;
  const { uid, gid } = user;
  if (uid !== undefined && gid !== undefined) {
    await chmod(home.root, 0o755);
    for (const entry of ['', ...(await readdir(home.root))]) await chown(join(home.root, entry), uid, gid);
  }
  const options = {
    ...{ cli: realCli(), cwd: home.project, inheritEnv: false, env: home.env(how.env), allowedTools: ['Bash'] },
    isolate: { program: bubblewrap(), ...(how.network && { network: how.network }) },
  };
  const host: ChildProcess = spawn(process.execPath, [HOST, JSON.stringify(options)], {
    ...{ env: { ...home.env(), HOST_SECRET: 'a secret of the host' }, cwd: '/', ...user },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([host.stdout ? textOf(host.stdout) : '', once(host, 'exit')]);
  expect(printed).toBe('ended\n');
  const results = api.conversation.flatMap(({ toolResults }) => toolResults.map((result) => result.text.trim()));
  expect(results).toHaveLength(attacks.length);
  return results;
}

const script = (attacks: readonly Attack[]) => [
  ...attacks.map(({ command }) => toolUse('Bash', { command })),
  text('done'),
];

describe.each(USERS)('the tools of an isolated CLI that %s started', (_, user) => {
  it('[C-14] reach no other tenant, no process, no socket file and no memory without limit', {
    timeout: 240_000,
  }, async () => {
    await using victim = await startVictim(user);
    const attacks = attacksOn(victim);
    await using scene = await openScene(script(attacks));
    const printed = await printedBy(scene, attacks, { user });
    const found = attacks.map(({ on }, index) => ({ on, printed: printed[index] }));
    expect(found).toEqual(attacks.map(({ on, fails }) => ({ on, printed: expect.stringMatching(fails) })));
    expect(printed.join('\n')).not.toContain(victim.secret);
    expect(victim.isRunning()).toBe(true);
    expect(victim.connections()).toBe(0);
    expect(await readFile(join(victim.folder, 'secret.txt'), 'utf8')).toBe(victim.secret);
  });

  it('[C-15] reach nothing but the proxy, through which the CLI reaches its API', { timeout: 240_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cox-proxy-'));
    await chmod(folder, 0o755);
    await using victim = await startVictim(user);
    const attacks = networkAttacksOn(victim);
    await using scene = await openScene(script(attacks));
    const socket = join(folder, 'proxy.sock');
    await using proxy = await startEgressProxy(socket, 'api.test', new URL(scene.api.url));
    const env = { ANTHROPIC_BASE_URL: 'http://api.test' };
    const printed = await printedBy(scene, attacks, { user, network: { proxy: socket }, env });
    const found = attacks.map(({ on }, index) => ({ on, printed: printed[index] }));
    expect(found).toEqual(attacks.map(({ on, fails }) => ({ on, printed: expect.stringMatching(fails) })));
    expect(victim.connections()).toBe(0);
    expect(new Set(proxy.asked)).toEqual(new Set(['api.test', 'elsewhere.test']));
    await rm(folder, { recursive: true });
  });

  it('[C-15] reach ports of loopback and abstract sockets with the network of the machine', async () => {
    await using victim = await startVictim(user);
    const attacks = networkAttacksOn(victim).slice(0, 2);
    await using scene = await openScene(script(attacks));
    expect(await printedBy(scene, attacks, { user })).toEqual(['CONNECTED', 'CONNECTED']);
    expect(victim.connections()).toBe(2);
  });
});
