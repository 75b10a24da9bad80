import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compare, differs } from './compare.ts';
import { entryOf } from './sdks.ts';
import type { Stage } from './stage.ts';

compare(
  '[U-6] a stderr callback that throws',
  async (stage) => {
    const cli = stage.script('echo "a warning" >&2', 'sleep 0.2');
    const host = await runHost(stage, cli, `{ stderr() { throw new Error('the callback failed'); } }`, READ_ALL);
    return { 'the host goes on': host.includes('read to the end') };
  },
  { 'the host goes on': differs('stderr callback that throws') },
);

compare(
  '[U-6] a CLI that ignores the end of its input and SIGTERM',
  async (stage) => {
    const cli = stage.script("trap '' TERM", `echo '${JSON.stringify({ type: 'keep' })}'`, 'exec sleep 60');
    await runHost(stage, cli, '{}', CLOSE_AT_ONCE);
    return { 'outlives a host that closes the query and exits': (await stage.left(3_000)) > 0 };
  },
  { 'outlives a host that closes the query and exits': differs('stubborn CLI') },
);

compare(
  '[U-6] the host process',
  async (stage) => {
    const cli = stage.script('cat > /dev/null');
    const set = await runHost(stage, cli, '{}', VARIABLES);
    return { 'variables that a query sets': JSON.parse(set) };
  },
  { 'variables that a query sets': differs('variables of a query') },
);

const READ_ALL = `for await (const message of query) void message; console.log('read to the end');`;
const CLOSE_AT_ONCE = `await query.next(); query.close(); process.exit();`;
const VARIABLES = `
  query.close();
  console.log(JSON.stringify(Object.keys(process.env).filter((name) => !before.has(name)).sort()));`;

/** Runs a program in a separate Node and returns its output. `query` is a running query with these options. */
async function runHost(stage: Stage, cli: string, options: string, body: string): Promise<string> {
  const shared = { ...stage.options({ pathToClaudeCodeExecutable: cli }), abortController: undefined };
  const program = `
    const before = new Set(Object.keys(process.env));
    const sdk = await import(${JSON.stringify(entryOf(stage.name))});
    const options = { ...${JSON.stringify(shared)}, ...${options} };
    const query = sdk.query({ prompt: 'Hi.', options });
    ${body}`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: stage.home.env(),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  let written = '';
  host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk;
  });
  await once(host, 'close');
  return written;
}
