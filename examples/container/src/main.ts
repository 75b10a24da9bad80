/** An agent behind HTTP, for a container: `POST /ask` answers a question about the files in /work. See docs/guides/containers.md. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createPool } from 'coxswain';
import { inspectCli } from 'coxswain/cli';

const pool = createPool({
  size: 2, // each CLI needs about 170 MB
  defaults: {
    cwd: '/work',
    allowedTools: ['Read', 'Grep', 'Glob'],
    settingSources: [],
    inheritEnv: ['PATH', 'HOME', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  },
});
const { supported, version } = await inspectCli();
if (supported !== 'yes') throw new Error('There is no Claude Code that can be used.'); // the container does not start
console.log(version);

const server = createServer(async (request, response) => {
  if (request.url === '/healthz') return void response.end('ok\n');
  if (request.method !== 'POST' || request.url !== '/ask') return void response.writeHead(404).end();
  if (!(Number(request.headers['content-length']) <= 10_000)) return void response.writeHead(413).end();
  try {
    const prompt = (await buffer(request)).toString();
    response.end(`${await pool.submit({ prompt }).text()}\n`);
  } catch (error) {
    console.error(JSON.stringify(error)); // with the end of the CLI's stderr
    response.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8080));

process.once('SIGTERM', async () => {
  server.close();
  await pool.drain({ timeoutMs: 20_000 });
  process.exit(0);
});
