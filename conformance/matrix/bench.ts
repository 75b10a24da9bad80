import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentOptions,
  type Message,
  openSession,
  type QueryStream,
  query,
  type ResultMessage,
  type Session,
  type Turn,
} from '../../packages/sdk/src/index.ts';
import { type Reply, text } from '../../packages/testkit/src/fake-api/reply.ts';
import type { ApiRequest } from '../../packages/testkit/src/fake-api/request.ts';
import { type FakeApi, startFakeApi } from '../../packages/testkit/src/fake-api/server.ts';
import { type IsolatedHome, isolatedHome } from '../harness/isolated-home.ts';
import { killQuietly, processesOf } from '../harness/processes.ts';

/** Where one probe runs one release: a fake API, an isolated home, and the SDK's public API. */
export interface Bench extends AsyncDisposable {
  readonly cli: string;
  readonly api: FakeApi;
  readonly home: IsolatedHome;
  /** Lines of the CLI's stdout that were not JSON: none are expected. */
  readonly nonJson: readonly string[];
  /** The API requests that belong to the probe's own conversation. */
  readonly asked: readonly ApiRequest[];
  /** Scripts the model's next answers, in order; `agent` scripts those of its subagents. */
  scriptAnswers(lines: readonly Line[], agent?: readonly Line[]): void;
  /** Runs a one-shot query until it ends. */
  ask(options?: AgentOptions): Promise<Asked>;
  start(options?: AgentOptions): Promise<Session>;
  /** Sends a prompt, which the model answers with these lines, and waits for the end of the turn. */
  play(session: Session, lines: readonly Line[], prompt?: string): Promise<Played>;
  /** Whether a request to the model contained a text. */
  modelReceived(text: string): boolean;
  path(name: string): string;
  read(name: string): string | undefined;
  write(name: string, content: string): void;
  running(command: string): boolean;
}

/** The model's answer to one request. */
export type Line = Reply | ((request: ApiRequest) => Reply | Promise<Reply>);

/** A finished query. */
export interface Asked {
  readonly stream: QueryStream;
  readonly messages: readonly Message[];
  readonly answer: string;
}

/** A finished turn. */
export interface Played {
  readonly turn: Turn;
  readonly messages: readonly Message[];
  readonly answer: string;
}

/** Part of every prompt of a probe: older releases make many other requests to the model. */
export const MARK = 'probe-prompt';

/** Sets up a bench. With `ungated` the SDK ignores the version, so that the release itself decides. */
export async function openBench(cli: string, { ungated }: { readonly ungated: boolean }): Promise<Bench> {
  let lines: Line[] = [];
  let agentLines: Line[] = [];
  const asked: ApiRequest[] = [];
  const nonJson: string[] = [];
  const sessions: Session[] = [];
  const streams: QueryStream[] = [];

  const answer = (request: ApiRequest): Reply | Promise<Reply> => {
    const sent = JSON.stringify(request.body.messages ?? '');
    if (!sent.includes(MARK) || request.tools.length === 0) return text('ok');
    const forAgent = sent.includes(AGENT_MARK) && !sent.includes('subagent_type');
    if (!forAgent) asked.push(request);
    const line = (forAgent ? agentLines : lines).shift() ?? text('ok');
    return typeof line === 'function' ? line(request) : line;
  };
  const api = await startFakeApi(answer);
  const home = await isolatedHome(api.url);
  writeFileSync(join(home.configDir, 'settings.json'), JSON.stringify(SETTINGS));
  const given = (options: AgentOptions): AgentOptions => ({
    cli,
    cwd: home.project,
    inheritEnv: false,
    versionCheck: ungated ? 'off' : undefined,
    orphanGuard: false,
    maxRetries: 0,
    ...options,
    env: home.env(options.env),
    limits: { ...LIMITS, ...options.limits },
    onWarning(warning) {
      if (warning.code === 'undecodable-line') nonJson.push(warning.message);
      options.onWarning?.(warning);
    },
  });

  const bench: Bench = {
    cli,
    api,
    home,
    nonJson,
    asked,
    scriptAnswers(answers, agent = []) {
      lines = [...answers];
      agentLines = [...agent];
    },
    async ask(options = {}) {
      const stream = query(`${MARK} go`, given(options));
      streams.push(stream);
      const { items, terminalError } = await stream.collect();
      for (const item of items) if (item.kind === 'error') nonJson.push(item.error.message);
      if (terminalError) throw terminalError;
      const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
      return { stream, messages, answer: answerOf(await stream.result()) };
    },
    async start(options = {}) {
      const session = openSession(given(options));
      sessions.push(session);
      await session.ready;
      return session;
    },
    async play(session, answers, prompt = `${MARK} go`) {
      bench.scriptAnswers(answers, agentLines);
      const turn = session.send(prompt);
      const { messages: items, terminalError } = await turn.collect();
      if (terminalError) throw terminalError;
      return { turn, messages: items, answer: answerOf(await turn.result()) };
    },
    modelReceived: (words) => asked.some(({ body }) => JSON.stringify(body.messages).includes(words)),
    path: (name) => join(home.project, name),
    read(name) {
      const path = join(home.project, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    },
    write: (name, content) => writeFileSync(join(home.project, name), content),
    running: (command) => processesOf(home.root).some((process) => process.command === command),
    async [Symbol.asyncDispose]() {
      // Nothing here depends on an orderly exit, which takes older releases some time.
      for (const { pid } of processesOf(home.root)) killQuietly(pid);
      await Promise.all([...sessions.map((session) => session.close()), ...streams.map((stream) => stream.close())]);
      for (const { pid } of processesOf(home.root)) killQuietly(pid);
      await api.close();
      await home[Symbol.asyncDispose]();
    },
  };
  return bench;
}

/** Part of the prompt of a probe's subagent. */
export const AGENT_MARK = 'probe-agent';

/** Without a permission callback, 2.1.290 chooses the mode `auto`, in which it asks the model about each tool. */
const SETTINGS = { permissions: { defaultMode: 'default' } };

/** A probe must end soon, even if the release does not answer. */
const LIMITS = {
  startTimeoutMs: 25_000,
  controlTimeoutMs: 4_000,
  interruptTimeoutMs: 4_000,
  graceMs: 1_500,
  // On a busy machine, the version check of a cli.js takes longer than a session would wait.
  versionTimeoutMs: 20_000,
};

function answerOf(result: ResultMessage): string {
  return 'result' in result ? String(result.result) : '';
}
