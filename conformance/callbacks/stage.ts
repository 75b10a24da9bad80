import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiRequest, type FakeApi, type Reply, type ReplyFunction, startFakeApi } from '@coxswain/testkit';
import {
  type AgentOptions,
  type Message,
  type Outcome,
  outcomeOf,
  type ResultMessage,
  type RunEvent,
  type Session,
  type Turn,
  type TurnOptions,
  type Warning,
  type WarningCode,
} from 'coxswain';
import { afterAll, beforeAll } from 'vitest';
import { type IsolatedHome, isolatedHome } from '../harness/isolated-home.ts';
import { type ProcessInfo, processesOf } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { startedSession } from '../harness/started-session.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** The model's answers in one turn, in order. */
export type Lines = readonly Line[];

type Line = Reply | ReplyFunction;

/** A finished turn. */
export interface Played {
  readonly messages: readonly Message[];
  readonly result: ResultMessage;
  readonly outcome: Outcome;
  /** The API requests of the turn that belong to the main conversation. */
  readonly requests: readonly ApiRequest[];
  readonly warnings: readonly Warning[];
  /** True if a request of this turn contained a text for the model; use unique texts. */
  modelReceived(text: string): boolean;
  /** True if a message of the turn contains a text. */
  messagesContain(text: string): boolean;
}

/** A session of the real CLI with a scripted model, whose files the test can read. */
export interface Stage extends AsyncDisposable {
  readonly api: FakeApi;
  readonly home: IsolatedHome;
  readonly session: Session;
  readonly warnings: readonly Warning[];
  readonly events: readonly RunEvent[];
  /** Sends a prompt that the model answers with these lines, and waits for the end. */
  play(lines: Lines, options?: { readonly prompt?: string; readonly agent?: Lines }): Promise<Played>;
  /** Sends the prompt without waiting. */
  begin(lines: Lines, options?: TurnOptions & { readonly prompt?: string; readonly agent?: Lines }): Turn;
  /** Number of occurrences of a warning. */
  count(code: WarningCode): number;
  /** A path in the CLI's working directory. */
  path(name: string): string;
  /** The content of a file there; `undefined` if it does not exist. */
  read(name: string): string | undefined;
  processes(): ProcessInfo[];
}

/** Opens a session in an isolated home. Disposal closes it and fails if a process is left. */
export async function openStage(version: string, options: AgentOptions = {}): Promise<Stage> {
  const scenes: { readonly main: Line[]; readonly agent: Line[] }[] = [];
  const say = (line: Line | undefined, request: ApiRequest): Reply | Promise<Reply> => {
    if (line === undefined) throw new Error('nothing more was to be said');
    return typeof line === 'function' ? line(request) : line;
  };
  const api = await startFakeApi({
    main: (request) => say(scenes[turnOf(request)]?.main.shift(), request),
    subagent: (request) => say(scenes.at(-1)?.agent.shift(), request),
  });
  const home = await isolatedHome(api.url);
  const warnings: Warning[] = [];
  const events: RunEvent[] = [];
  const begin: Stage['begin'] = (lines, { prompt = 'continue', agent = [], ...turn } = {}) => {
    scenes.push({ main: [...lines], agent: [...agent] });
    return session.send(prompt.startsWith('/') ? prompt : `${prompt} #${scenes.length - 1}`, turn);
  };
  const processes = (): ProcessInfo[] => processesOf(home.root);
  const close = async (): Promise<void> => {
    await api.close();
    await home[Symbol.asyncDispose]();
  };
  const session = await startedSession({
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
      const number = scenes.length;
      const before = warnings.length;
      const turn = begin(lines, rule);
      const { messages, terminalError } = await turn.collect();
      if (terminalError) throw terminalError;
      const result = await turn.result();
      const requests = api.conversation.filter((request) => turnOf(request) === number);
      return {
        messages,
        result,
        outcome: outcomeOf(result),
        requests,
        warnings: warnings.slice(before),
        messagesContain: (text) => JSON.stringify(messages).includes(text),
        modelReceived: (text) => requests.some((request) => JSON.stringify(request.body.messages).includes(text)),
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
      await session.close();
      await waitUntil(() => processes().length === 0, { what: 'the processes to exit' });
      await close();
    },
  };
}

/** One stage for all tests of a `describe`; they must be `it.sequential`. */
export function sharedStage(version: string, options: AgentOptions): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    stage = await openStage(version, options);
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());
  return () => {
    if (stage === undefined) throw new Error('The stage is not there yet.');
    return stage;
  };
}

/**
 * The number of a request's turn, from its newest prompt. Counting requests would not work: a request that an interrupt cut off may
 * still arrive in the next turn.
 */
function turnOf(request: ApiRequest): number {
  const numbers = JSON.stringify(request.body.messages).matchAll(/ #(\d+)/g);
  return Math.max(-1, ...Array.from(numbers, ([, number]) => Number(number)));
}
