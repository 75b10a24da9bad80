import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiRequest, type FakeApi, type Reply, type ReplyFunction, startFakeApi } from '@coxswain/testkit';
import {
  type Message,
  outcomeOf,
  type ResultMessage,
  type RunEvent,
  type RunOutcome,
  type Session,
  type SessionOptions,
  startSession,
  type Turn,
  type TurnOptions,
  type Warning,
  type WarningCode,
} from 'coxswain';
import { vi } from 'vitest';
import { type IsolatedHome, isolatedHome } from '../harness/isolated-home.ts';
import { type ProcessInfo, processesOf } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';

// More CLIs at once would only wait for each other: each start takes most of a core for half a second.
vi.setConfig({ maxConcurrency: 3 });

/** What the model says in one turn, in order. */
export type Lines = readonly (Reply | ReplyFunction)[];

/** A turn that is over. */
export interface Played {
  readonly messages: readonly Message[];
  readonly result: ResultMessage;
  readonly outcome: RunOutcome;
  /** The API requests of the turn that belong to the main conversation. */
  readonly requests: readonly ApiRequest[];
  readonly warnings: readonly Warning[];
  /** Whether a request of this turn brought the model a text; use texts that occur once. */
  told(text: string): boolean;
}

/** A session of the real CLI whose model says what the test wants, and whose files the test can see. */
export interface Stage extends AsyncDisposable {
  readonly api: FakeApi;
  readonly home: IsolatedHome;
  readonly session: Session;
  readonly warnings: readonly Warning[];
  readonly events: readonly RunEvent[];
  /** Sends a prompt to which the model says these lines, and waits for the end. */
  play(lines: Lines, options?: { readonly prompt?: string; readonly agent?: Lines }): Promise<Played>;
  /** The same without waiting. */
  begin(lines: Lines, options?: TurnOptions & { readonly prompt?: string; readonly agent?: Lines }): Turn;
  /** How often there was a warning. */
  count(code: WarningCode): number;
  /** A path in the CLI's working directory. */
  path(name: string): string;
  /** What is in a file there; `undefined` when there is none. */
  read(name: string): string | undefined;
  processes(): ProcessInfo[];
}

/** Starts a session in a home of its own. Its disposal stops it and fails when a process is left. */
export async function openStage(version: string, options: SessionOptions = {}): Promise<Stage> {
  const main: (Reply | ReplyFunction)[] = [];
  const agent: (Reply | ReplyFunction)[] = [];
  const next =
    (lines: (Reply | ReplyFunction)[]): ReplyFunction =>
    (request) => {
      const line = lines.shift();
      if (line === undefined) throw new Error('nothing more was to be said');
      return typeof line === 'function' ? line(request) : line;
    };
  const api = await startFakeApi({ main: next(main), subagent: next(agent) });
  const home = await isolatedHome(api.url);
  const warnings: Warning[] = [];
  const events: RunEvent[] = [];
  const begin: Stage['begin'] = (lines, { prompt = 'go on', agent: said = [], ...turn } = {}) => {
    main.splice(0, main.length, ...lines);
    agent.splice(0, agent.length, ...said);
    return session.send(prompt, turn);
  };
  const processes = (): ProcessInfo[] => processesOf(home.root);
  const close = async (): Promise<void> => {
    await api.close();
    await home[Symbol.asyncDispose]();
  };
  const session = await startSession({
    cli: realCli(version),
    cwd: home.project,
    inheritEnv: false,
    onWarning: (warning) => void warnings.push(warning),
    onEvent: (event) => void events.push(event),
    ...options,
    env: home.env(options.env),
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    api,
    home,
    session,
    warnings,
    events,
    begin,
    async play(lines, rule) {
      const seen = { requests: api.requests.length, warnings: warnings.length };
      const turn = begin(lines, rule);
      const { messages, terminalError } = await turn.collect();
      if (terminalError) throw terminalError;
      const result = await turn.result();
      const requests = api.requests.slice(seen.requests).filter((request) => request.isMainConversation);
      return {
        messages,
        result,
        outcome: outcomeOf(result),
        requests,
        warnings: warnings.slice(seen.warnings),
        told: (text) => requests.some((request) => JSON.stringify(request.body.messages).includes(text)),
      };
    },
    count: (code) => warnings.filter((warning) => warning.code === code).length,
    path: (name) => join(home.project, name),
    read(name) {
      const path = join(home.project, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    },
    processes,
    async [Symbol.asyncDispose]() {
      await session.stop();
      await waitUntil(() => processes().length === 0, { timeoutMs: 3_000, what: 'the processes to be gone' });
      await close();
    },
  };
}
