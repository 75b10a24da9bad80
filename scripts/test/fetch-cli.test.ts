import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cliPath, fetchCli, platformSuffix, releases } from '../fetch/cli.mjs';

const MAIN = '@anthropic-ai/claude-code';
const NATIVE = `${MAIN}-${platformSuffix()}`;
let root = '';
let cache = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cox-fetch-'));
  cache = join(root, 'cache');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('fetchCli', { timeout: 60_000 }, () => {
  it('downloads the native binary from the platform package, once', async () => {
    const native = pack(NATIVE, { claude: '#!/bin/sh\necho native\n' }, { postinstall: `touch ${root}/script-ran` });
    const main = pack(MAIN, { 'bin/claude.exe': 'stub' });
    const registry = await startRegistry({ [NATIVE]: native, [MAIN]: main });
    const seen: string[] = [];
    const path = await fetchCli('9.9.9', { cache, env: registry.env, log: (text) => seen.push(text) });
    expect(path).toBe(join(cache, '9.9.9', 'claude'));
    expect(execFileSync(path, { encoding: 'utf8' })).toBe('native\n');
    expect(seen.join()).toContain(NATIVE);
    expect(existsSync(join(root, 'script-ran'))).toBe(false);
    expect(readdirSync(cache)).toEqual(['9.9.9']);

    await registry.close();
    expect(await fetchCli('9.9.9', { cache, env: registry.env })).toBe(path);
  });

  it('downloads cli.js from the main package of an old release', async () => {
    const main = pack(
      MAIN,
      { 'cli.js': 'console.log(1)' },
      {},
      { bin: { claude: 'cli.js' }, optionalDependencies: {} },
    );
    const registry = await startRegistry({ [MAIN]: main });
    const path = await fetchCli('9.9.9', { cache, env: registry.env });
    expect(readFileSync(path, 'utf8')).toBe('console.log(1)');
    await registry.close();
  });

  it('refuses a tarball that does not match the hash of the registry, and leaves nothing behind', async () => {
    const native = pack(NATIVE, { claude: 'x' });
    const registry = await startRegistry({
      [NATIVE]: { ...native, integrity: `sha512-${createHash('sha512').update('other').digest('base64')}` },
      [MAIN]: pack(MAIN, {}),
    });
    await expect(fetchCli('9.9.9', { cache, env: registry.env })).rejects.toThrow(/integrity/i);
    expect(readdirSync(cache)).toEqual([]);
    expect(cliPath('9.9.9', cache)).toBeUndefined();
    await registry.close();
  });

  it('refuses a tarball without a sha512', async () => {
    const registry = await startRegistry({
      [NATIVE]: { ...pack(NATIVE, { claude: 'x' }), integrity: undefined },
      [MAIN]: pack(MAIN, {}),
    });
    await expect(fetchCli('9.9.9', { cache, env: registry.env })).rejects.toThrow('The registry gives no sha512');
    expect(cliPath('9.9.9', cache)).toBeUndefined();
    await registry.close();
  });

  it('explains an invalid version', async () => {
    await expect(fetchCli('latest', { cache })).rejects.toThrow('"latest" is not an exact version');
    const registry = await startRegistry({ [MAIN]: pack(MAIN, {}) });
    await expect(fetchCli('1.2.3', { cache, env: registry.env })).rejects.toThrow(`${MAIN}@1.2.3`);
    await registry.close();
  });
});

describe('the command fetch-cli', () => {
  it('prints one JSON line per release', () => {
    for (const version of ['7.0.1', '7.0.2']) {
      mkdirSync(join(cache, version), { recursive: true });
      writeFileSync(join(cache, version, 'claude'), '');
    }
    const script = join(import.meta.dirname, '../fetch/cli.mjs');
    const out = execFileSync(process.execPath, [script, '--cache', cache, '7.0.1', '7.0.2'], { encoding: 'utf8' });
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { version: '7.0.1', path: join(cache, '7.0.1', 'claude') },
      { version: '7.0.2', path: join(cache, '7.0.2', 'claude') },
    ]);
  });
});

describe('platformSuffix', () => {
  it.each([
    [{ platform: 'linux', arch: 'x64', musl: false }, 'linux-x64'],
    [{ platform: 'linux', arch: 'arm64', musl: true }, 'linux-arm64-musl'],
    [{ platform: 'darwin', arch: 'arm64', musl: false }, 'darwin-arm64'],
    [{ platform: 'win32', arch: 'x64', musl: false }, 'win32-x64'],
  ])('for %o is %s', (machine, suffix) => {
    expect(platformSuffix(machine)).toBe(suffix);
  });
});

describe('releases', () => {
  it('include the pinned one', () => {
    expect(releases().tested).toContain(releases().pinned);
  });
});

interface Packed {
  readonly manifest: object;
  readonly tarball: Buffer;
  readonly integrity: string | undefined;
}

function pack(name: string, files: Record<string, string>, scripts: object = {}, fields: object = {}): Packed {
  const folder = mkdtempSync(join(root, 'pack-'));
  const manifest = {
    name,
    version: '9.9.9',
    scripts,
    ...(name === MAIN ? { bin: { claude: 'bin/claude.exe' }, optionalDependencies: { [NATIVE]: '9.9.9' } } : {}),
    ...fields,
  };
  for (const [path, content] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
    const target = join(folder, 'package', path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, content);
    chmodSync(target, 0o755);
  }
  const tarball = execFileSync('tar', ['-cz', '-C', folder, 'package']);
  return { manifest, tarball, integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}` };
}

async function startRegistry(packages: Record<string, Packed>) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const tarball = path.endsWith('.tgz') ? packages[path.slice(0, -'.tgz'.length)] : undefined;
    if (tarball) return void response.end(tarball.tarball);
    const found = packages[path];
    if (found === undefined) return void response.writeHead(404).end('{}');
    const dist = { tarball: `${url}/${path}.tgz`, integrity: found.integrity };
    const versions = { '9.9.9': { ...found.manifest, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: path, 'dist-tags': { latest: '9.9.9' }, versions }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const userconfig = join(root, 'npmrc');
  writeFileSync(
    userconfig,
    `registry=${url}/\ncache=${join(root, 'npm-cache')}\nfetch-retries=0\nupdate-notifier=false\n`,
  );
  const env = { PATH: process.env.PATH, HOME: root, npm_config_userconfig: userconfig };
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { env, close };
}
