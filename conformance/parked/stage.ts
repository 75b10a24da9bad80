import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiScript } from '@coxswain/testkit';
import {
  type AgentOptions,
  allow,
  decideLater,
  type Message,
  type PermissionDecision,
  type PermissionRequest,
  type ResultMessage,
  type Session,
} from 'coxswain';
import { type MemoryStore, memoryStore, type SessionKey, type StoreEntry } from 'coxswain/store';
import { type IsolatedHome, isolatedHome } from '../harness/isolated-home.ts';
import { killQuietly } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, type Stage } from '../session/stage.ts';
import { marker } from './entries.ts';

/** What was asked before the kill: the conversation is only in the store now. */
export interface Parked {
  readonly id: string;
  readonly key: SessionKey;
  readonly asked: readonly PermissionRequest[];
}

/** A CLI that resumed a conversation on another machine, from the store alone. */
export interface Resumed {
  readonly session: Session;
  /** Its requests, in order. */
  readonly asked: readonly PermissionRequest[];
  readonly messages: readonly Message[];
  readonly home: IsolatedHome;
  /** The number of requests to the model before. */
  readonly requestsBefore: number;
  /** The first result, or a later one. */
  result(nth?: number): Promise<ResultMessage>;
  kill(): Promise<void>;
}

/** How a conversation is resumed. */
export interface ResumeOptions extends AgentOptions {
  readonly version?: string;
  readonly answer?: (request: PermissionRequest) => PermissionDecision;
}

/** How a request is made. */
export interface AskOptions extends AgentOptions {
  /** The release that makes the request; default: the stage's. */
  readonly version?: string;
  readonly prompt?: string;
  /** The number of requests to wait for. */
  readonly requests?: number;
  /** Whether to wait until the calls are also in the store: the CLI mirrors them after it asks. */
  readonly stored?: boolean;
}

/** A stage whose sessions are parked by hand. */
export interface ParkingStage extends Stage {
  readonly store: MemoryStore;
  /** Starts a session with the store, sends a prompt, and waits for this number of pending requests. */
  ask(options?: AskOptions): Promise<Waiting>;
  /** Does the same, then kills the CLI and marks the (last) request. */
  park(options?: AskOptions): Promise<Parked>;
  resume(id: string, options?: ResumeOptions): Promise<Resumed>;
  entries(id: string): Promise<readonly StoreEntry[]>;
  append(key: SessionKey, entries: readonly StoreEntry[]): Promise<void>;
  /** Replaces the main conversation; its subagents stay. */
  rewrite(key: SessionKey, change: (entries: readonly StoreEntry[]) => readonly StoreEntry[]): Promise<void>;
  /** A path outside all projects, for files that commands write. */
  path(name: string): string;
  read(name: string): string | undefined;
}

/** A session with pending requests. */
export interface Waiting {
  readonly session: Session;
  readonly id: string;
  readonly key: SessionKey;
  readonly asked: readonly PermissionRequest[];
  readonly messages: readonly Message[];
  /** Kills the CLI, and returns when the session has ended and everything is stored. */
  kill(): Promise<void>;
}

const PROMPT = 'first prompt';

/** Sets up a stage for sessions with a store. */
export async function openParking(script: ApiScript, version: string): Promise<ParkingStage> {
  const stage = await openStage(script, { version });
  const store = memoryStore();
  const homes: IsolatedHome[] = [];
  const keyOf = (sessionId: string): SessionKey => ({ projectKey: 'default', sessionId });
  const entries = async (id: string): Promise<readonly StoreEntry[]> => (await store.load(keyOf(id))) ?? [];
  const path = (name: string): string => join(stage.home.root, name);

  /** Whether the conversation or one of its subagents has each call. */
  const hasCalls = async (id: string, asked: readonly PermissionRequest[]): Promise<boolean> => {
    const key = keyOf(id);
    const paths = [undefined, ...(await store.listSubkeys(key))];
    const lines = JSON.stringify(await Promise.all(paths.map((subpath) => store.load({ ...key, subpath }))));
    return asked.every(({ toolUseId }) => lines.includes(`"id":"${toolUseId}"`));
  };

  const ask: ParkingStage['ask'] = async ({
    version: release = version,
    requests = 1,
    prompt = PROMPT,
    stored = true,
    ...options
  } = {}) => {
    const asked: PermissionRequest[] = [];
    const session = await stage.start({
      sessionStore: store,
      cli: realCli(release),
      canUseTool(request) {
        asked.push(request);
        return decideLater();
      },
      ...options,
    });
    const messages = watch(session);
    const turn = session.send(prompt);
    turn.result().catch(() => {});
    await waitUntil(() => asked.length >= requests, { what: `${requests} requests`, timeoutMs: 40_000 });
    const id = session.id ?? '';
    if (stored) await waitUntil(() => hasCalls(id, asked), { what: 'the calls in the store' });
    return { session, id, key: keyOf(id), asked, messages, kill: () => kill(session) };
  };

  return {
    ...stage,
    store,
    ask,
    async park(options) {
      const { id, key, asked, kill } = await ask(options);
      await kill();
      await store.append(key, [marker(await entries(id), asked.at(-1))]);
      return { id, key, asked };
    },
    async resume(id, { version: release = version, answer = () => allow(), ...options } = {}) {
      const home = await isolatedHome(stage.api.url);
      homes.push(home);
      const asked: PermissionRequest[] = [];
      const requestsBefore = stage.api.conversation.length;
      const session = stage.open({
        sessionStore: store,
        cli: realCli(release),
        cwd: home.project,
        resume: id,
        canUseTool(request) {
          asked.push(request);
          return answer(request);
        },
        ...options,
        env: { ...home.env(), ...options.env },
      });
      const messages = watch(session);
      await session.ready;
      const result = (nth = 0): Promise<ResultMessage> =>
        waitUntil(() => results(messages)[nth], { what: `result ${nth} of the resumed run`, timeoutMs: 40_000 });
      return { session, asked, messages, home, requestsBefore, result, kill: () => kill(session) };
    },
    entries,
    append: (key, added) => store.append(key, added),
    async rewrite(key, change) {
      const changed = change(await entries(key.sessionId));
      const subkeys = await store.listSubkeys(key);
      const others = await Promise.all(
        subkeys.map(async (subpath) => [subpath, (await store.load({ ...key, subpath })) ?? []] as const),
      );
      await store.delete(key);
      await store.append(key, changed);
      for (const [subpath, lines] of others) await store.append({ ...key, subpath }, lines);
    },
    path,
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      for (const home of homes) await home[Symbol.asyncDispose]();
    },
  };
}

async function kill(session: Session): Promise<void> {
  killQuietly(Number(session.pid));
  await session.closed;
}

/** The messages of a session, as they arrive. */
function watch(session: Session): readonly Message[] {
  const messages: Message[] = [];
  const stream = session.messages();
  void (async () => {
    for await (const item of stream) if (item.kind === 'message') messages.push(item.message);
  })();
  return messages;
}

export function results(messages: readonly Message[]): ResultMessage[] {
  return messages.filter((message): message is ResultMessage => message.type === 'result');
}
