import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiRequest, ApiScript, FakeApiOptions } from '@coxswain/testkit';
import { type AgentOptions, openSession, type Session } from 'coxswain';
import { realCli } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A scene in which sessions run. */
export interface Stage extends Scene {
  /** Starts a session that uses only this stage; `env` is merged over the home's. */
  start<T>(options?: AgentOptions<T>): Promise<Session<T>>;
  /** The same without waiting until it is ready. */
  open<T>(options?: AgentOptions<T>): Session<T>;
  /** The prompts and answers in a request, in order; by default of the last request. */
  history(request?: ApiRequest): string[];
  /** Waits until a command runs. */
  runs(command: string): Promise<void>;
  /** Waits until no process runs a command. */
  ended(command: string): Promise<void>;
  /** Creates an empty file in the project, for a command that waits for it. */
  touch(name: string): Promise<void>;
}

/** Sets up a stage. Its disposal closes the sessions and fails if a process has outlived them. */
export async function openStage(
  script: ApiScript,
  options: FakeApiOptions & { readonly version?: string | undefined } = {},
): Promise<Stage> {
  const scene = await openScene(script, options);
  const { api, home } = scene;
  const cli = realCli(options.version);
  const sessions: Session<never>[] = [];
  const isRunning = (command: string): boolean => scene.processes().some((process) => process.command === command);
  const open: Stage['open'] = (given = {}) => {
    const session = openSession({ cli, cwd: home.project, inheritEnv: false, ...given, env: home.env(given.env) });
    sessions.push(session as Session<never>);
    return session;
  };
  return {
    ...scene,
    open,
    async start(given) {
      const session = open(given);
      await session.ready;
      return session;
    },
    history: (request = api.conversation.at(-1)) =>
      [...JSON.stringify(request?.body.messages).matchAll(SAID)].map(([words]) => words),
    async runs(command) {
      await waitUntil(() => isRunning(command), { what: command });
    },
    async ended(command) {
      await waitUntil(() => !isRunning(command), { what: `the end of ${command}` });
    },
    touch: (name) => writeFile(join(home.project, name), ''),
    async [Symbol.asyncDispose]() {
      await Promise.all(sessions.map((session) => session.close()));
      await scene[Symbol.asyncDispose]();
    },
  };
}

/** The prompts and answers in the tests. */
const SAID = /(?:first|second|third) (?:prompt|answer)/g;
