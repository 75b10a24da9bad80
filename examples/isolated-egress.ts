/** An agent without network and without a key: its requests go through a proxy. Needs Linux, bubblewrap (`bwrap` in PATH) and the real CLI. */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as http } from 'node:http';
import { request as https } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'coxswain';

const root = await mkdtemp(join(tmpdir(), 'cox-egress-'));
for (const name of ['work', 'config']) await mkdir(join(root, name));
const socket = join(root, 'proxy.sock');

// #region proxy
const api = new URL(process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com');
const key = process.env.ANTHROPIC_API_KEY;
const send = api.protocol === 'https:' ? https : http;

const proxy = createServer((incoming, answer) => {
  const { hostname, pathname, search } = new URL(incoming.url ?? '', 'http://none');
  if (hostname !== 'api.internal') return void answer.writeHead(403).end();
  const headers = { ...incoming.headers, host: api.host, 'x-api-key': key }; // the agent never sees the key
  const { method } = incoming;
  const outgoing = send(new URL(pathname + search, api), { method, headers }, (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(answer);
  });
  outgoing.on('error', () => answer.destroy());
  incoming.pipe(outgoing);
});
proxy.on('connect', (_, client) => client.end('HTTP/1.1 403 Forbidden\r\n\r\n')); // no HTTPS to any other host
proxy.listen(socket);
// #endregion
await once(proxy, 'listening');

// #region agent
const stream = query('What do you see of the network?', {
  cwd: join(root, 'work'),
  configDir: join(root, 'config'),
  inheritEnv: ['PATH', 'LANG'],
  env: { ANTHROPIC_BASE_URL: 'http://api.internal', ANTHROPIC_API_KEY: 'added by the proxy' },
  isolate: { network: { proxy: socket } },
  allowedTools: ['Bash'],
});
// #endregion
console.log(await stream.text());
proxy.close();
proxy.closeAllConnections();
await rm(root, { recursive: true });
