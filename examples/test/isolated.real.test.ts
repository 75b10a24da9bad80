import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { bubblewrap } from '../../scripts/fetch/bubblewrap.mjs';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';
import { transpiled } from './transpiled.ts';

it('[C-14] the example of isolation keeps two tenants apart', { timeout: 120_000 }, async () => {
  await using api = await startFakeApi(({ body, toolResults }) => {
    const [result] = toolResults;
    if (result) return text(result.text);
    const path = /Read (\S+)\./.exec(JSON.stringify(body.messages))?.[1];
    const command = path ? `cat ${path} || echo unreachable` : 'echo "of ann" > notes.txt && cat notes.txt';
    return toolUse('Bash', { command });
  });
  const [ann, ...bob] = (await printedBy(new URL('../isolated.ts', import.meta.url), api.url)).split('\n');
  expect(ann).toBe('of ann');
  expect(bob.join('\n')).toMatch(/No such file[\s\S]*unreachable/);
});

it('[C-15] the example of a proxy gives an isolated agent the API without the key, and no other host', {
  timeout: 120_000,
}, async () => {
  const get = (how: string): string =>
    `require('node:http').request(process.env.HTTP_PROXY, ${how}).on('response', ({ statusCode }) => console.log(statusCode)).on('connect', ({ statusCode }, socket) => { console.log(statusCode); socket.destroy(); }).end()`;
  const look = [
    `${process.execPath} -e "${get(`{ path: 'http://elsewhere.test/' }`)}"`,
    `${process.execPath} -e "${get(`{ method: 'CONNECT', path: 'elsewhere.test:443' }`)}"`,
    'env | grep -c dummy',
  ].join('; ');
  await using api = await startFakeApi(({ toolResults: [result] }) =>
    result ? text(result.text.replaceAll('\n', ' ')) : toolUse('Bash', { command: look }),
  );
  expect(await printedBy(new URL('../isolated-egress.ts', import.meta.url), api.url)).toMatch(/403 403 0$/);
  expect(api.requests.map(({ headers }) => headers['x-api-key'])).toContain('dummy');
});

async function printedBy(example: URL, apiUrl: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'cox-home-'));
  const env = {
    ...{ PATH: [dirname(bubblewrap()), process.env.PATH].join(delimiter), HOME: home, TMPDIR: home },
    COXSWAIN_CLI: cliPath(releases().pinned),
    ...{ ANTHROPIC_BASE_URL: apiUrl, ANTHROPIC_API_KEY: 'dummy' },
  };
  try {
    const file = await transpiled(example);
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd, env, timeout: 110_000 });
    return stdout.trimEnd();
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
