import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Directories for one test, and an environment in which the real CLI sees nothing else. */
export interface IsolatedHome extends AsyncDisposable {
  /** Contains everything below; removed by disposal. */
  readonly root: string;
  readonly home: string;
  readonly configDir: string;
  /** The working directory of the CLI. */
  readonly project: string;
  /** `PATH` and variables that keep the CLI offline, with `extra` merged over them (`undefined` removes a key). */
  env(extra?: Readonly<Record<string, string | undefined>>): Record<string, string>;
}

/** Creates an isolated home whose CLI is connected to the API at `apiUrl`. */
export async function isolatedHome(apiUrl: string): Promise<IsolatedHome> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'cox-')));
  const home = join(root, 'home');
  const configDir = join(root, 'config');
  const project = join(root, 'project');
  const temp = join(root, 'tmp');
  for (const path of [home, configDir, project, temp]) await mkdir(path, { recursive: true });
  const base = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: temp,
    CLAUDE_CONFIG_DIR: configDir,
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_API_KEY: 'sk-ant-api03-not-a-real-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    ...SHORT_LIFE,
  };
  return {
    root,
    home,
    configDir,
    project,
    env: (extra = {}) => defined({ ...base, ...extra }),
    // An exiting CLI may still write its transcript, hence the retries.
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}

/**
 * A run of one second does not benefit from optimised code, garbage collection or the certificates of the system, because the API is
 * on loopback: together they take a fifth to a third of its CPU time. The tests make hundreds of such runs. Another test checks that
 * the CLI behaves the same without these settings.
 */
const SHORT_LIFE = { BUN_JSC_useDFGJIT: '0', BUN_JSC_useGC: '0', CLAUDE_CODE_CERT_STORE: 'bundled' };

/** For `env()`: removes these settings, so that the CLI runs as it does for users. */
export const AS_FOR_USERS: Readonly<Record<string, undefined>> = Object.fromEntries(
  Object.keys(SHORT_LIFE).map((name) => [name, undefined]),
);

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
