import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type ApiRequest, type ApiScript, type FakeApi, type Reply, startFakeApi } from '@coxswain/testkit';
import { type IsolatedHome, isolatedHome } from '../../../../conformance/harness/isolated-home.ts';
import { killQuietly, processesOf } from '../../../../conformance/harness/processes.ts';
import { realCli } from '../../../../conformance/harness/real-cli.ts';
import { waitUntil } from '../../../../conformance/harness/wait-until.ts';
import { normalised } from './normalised.ts';

/** One fact that a driver reports. */
export interface Fact {
  readonly value: unknown;
  /** The expected value on every SDK. */
  readonly expected?: unknown;
}

/** The replies of the API by prompt; each list advances with every request. */
export type Answers = (project: string) => Readonly<Record<string, readonly Reply[]>>;

/** Runs a driver in a folder where a client is installed; returns its facts by name, without ids, paths and times. */
export async function runClient(options: {
  readonly place: string;
  readonly driver: string;
  readonly answers: Answers;
  /** The Node that runs the driver and the client. */
  readonly node: string;
  readonly timeoutMs?: number;
}): Promise<Map<string, Fact>> {
  let script: ApiScript = [];
  const api = await startFakeApi((request) => (typeof script === 'function' ? script(request) : []));
  const home = await isolatedHome(api.url);
  script = byPrompt(options.answers(home.project));
  try {
    const { facts, ended } = await drive(options, home);
    facts.set('driver: exit', { value: ended.code, expected: 0 });
    if (ended.code !== 0) facts.set('driver: stderr', { value: ended.stderr, expected: '' });
    facts.set('processes left', { value: await left(home), expected: [] });
    facts.set('API: requests', { value: api.conversation.map(received) });
    facts.set('API: problems', { value: api.problems, expected: [] });
    return new Map([...facts].map(([name, fact]) => [name, normalised(fact, { home, api })]));
  } finally {
    await close(api, home);
  }
}

/** Answers each prompt from its own list; repeats the last reply of a list. Clients may extend a prompt. */
function byPrompt(answers: ReturnType<Answers>): (request: ApiRequest) => Reply {
  const used = new Map<string, number>();
  return ({ lastUserText }) => {
    const prompt = Object.keys(answers).find((known) => lastUserText.includes(known));
    const replies = prompt === undefined ? undefined : answers[prompt];
    if (prompt === undefined || replies === undefined) throw new Error(`no reply to ${JSON.stringify(lastUserText)}`);
    const index = used.get(prompt) ?? 0;
    used.set(prompt, index + 1);
    return replies[Math.min(index, replies.length - 1)] ?? [];
  };
}

async function drive(
  { place, driver, node, timeoutMs = 110_000 }: Parameters<typeof runClient>[0],
  home: IsolatedHome,
): Promise<{ facts: Map<string, Fact>; ended: { code: number | NodeJS.Signals | null; stderr: string } }> {
  const facts = new Map<string, Fact>();
  const cli = realCli();
  const child = fork(join(place, 'drivers', `${driver}.mjs`), {
    cwd: place,
    execPath: node,
    execArgv: [],
    env: home.env({
      DRIVER_PROJECT: home.project,
      CLAUDE_CODE_EXECUTABLE: cli,
      // The two SDKs use different names, which changes the agents that the CLI offers.
      CLAUDE_CODE_ENTRYPOINT: 'comparison',
      IS_SANDBOX: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
    }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = `${stderr}${chunk}`.slice(-4000);
  });
  child.stderr?.on('error', () => {});
  // Only `report()` of the drivers sends messages.
  child.on('message', ({ fact, ...rest }: Fact & { fact: string }) => facts.set(fact, rest));
  const [code, signal] = await once(child, 'close');
  return { facts, ended: { code: signal ?? code, stderr } };
}

async function left(home: IsolatedHome): Promise<string[]> {
  const alive = (): string[] => processesOf(home.root).map(({ command }) => command);
  await waitUntil(() => alive().length === 0).catch(() => {});
  const found = alive();
  for (const { pid } of processesOf(home.root)) killQuietly(pid);
  return found;
}

/** The parts of a request that define the conversation for the model. */
function received({ model, system, tools, turns, thinking }: ApiRequest): unknown {
  return { model, system, tools, thinking, turns: turns.map(({ role, text }) => ({ role, text })) };
}

async function close(api: FakeApi, home: IsolatedHome): Promise<void> {
  await api.close();
  await home[Symbol.asyncDispose]();
}
