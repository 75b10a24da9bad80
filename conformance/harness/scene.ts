import { type ApiScript, type FakeApi, type FakeApiOptions, startFakeApi } from '@coxswain/testkit';
import { type AgentOptions, type QueryStream, query, type UserContent } from 'coxswain';
import { type IsolatedHome, isolatedHome } from './isolated-home.ts';
import { noneLeft } from './none-left.ts';
import { killQuietly, type ProcessInfo, processesOf } from './processes.ts';
import { realCli } from './real-cli.ts';

/** The environment of the queries of one test: a fake API, an isolated home and a release of the real CLI. */
export interface Scene extends AsyncDisposable {
  readonly api: FakeApi;
  readonly home: IsolatedHome;
  /** Starts a query in this scene; `env` is merged over that of the home. */
  query<T>(prompt: UserContent, options?: AgentOptions<T>): QueryStream<T>;
  /** The processes of the scene: the CLI, its tools, and their remaining processes. */
  processes(): ProcessInfo[];
}

/** Creates a scene. Its disposal closes the queries and fails if a process has outlived them. */
export async function openScene(
  script: ApiScript,
  { version, ...options }: FakeApiOptions & { readonly version?: string | undefined } = {},
): Promise<Scene> {
  const api = await startFakeApi(script, options);
  const home = await isolatedHome(api.url);
  const cli = realCli(version);
  const streams: QueryStream[] = [];
  const processes = (): ProcessInfo[] => processesOf(home.root);
  return {
    api,
    home,
    query(prompt, given = {}) {
      const stream = query(prompt, { cli, cwd: home.project, inheritEnv: false, ...given, env: home.env(given.env) });
      streams.push(stream);
      return stream;
    },
    processes,
    async [Symbol.asyncDispose]() {
      await Promise.all(streams.map((stream) => stream.close()));
      const left = await leftOver({ processes });
      for (const { pid } of left) killQuietly(pid);
      await api.close();
      await home[Symbol.asyncDispose]();
      if (left.length > 0) throw new Error(`Left behind: ${left.map(({ command }) => command).join('; ')}`);
    },
  };
}

async function leftOver(scene: Pick<Scene, 'processes'>): Promise<ProcessInfo[]> {
  try {
    await noneLeft(scene);
    return [];
  } catch {
    return scene.processes();
  }
}
