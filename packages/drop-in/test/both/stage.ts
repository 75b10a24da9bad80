import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options, Query, SDKMessage, SDKResultMessage, SDKUserMessage } from '@coxswain/drop-in';
import { type ApiRequest, type FakeApi, type Reply, startFakeApi } from '@coxswain/testkit';
import { type IsolatedHome, isolatedHome } from '../../../../conformance/harness/isolated-home.ts';
import { killQuietly, processesOf } from '../../../../conformance/harness/processes.ts';
import { realCli } from '../../../../conformance/harness/real-cli.ts';
import { waitUntil } from '../../../../conformance/harness/wait-until.ts';
import { normalised } from './normalised.ts';
import { loadSdk, restoreEnv, type Sdk, type SdkName } from './sdks.ts';

/** How a query ended. */
export interface Run {
  readonly query: Query;
  readonly messages: readonly SDKMessage[];
  /** What the iterator threw. */
  readonly thrown: unknown;
  readonly returned: unknown;
  readonly result: SDKResultMessage | undefined;
}

/** One SDK with a real CLI, a fake API and a home for one scenario. */
export class Stage {
  readonly sdk: Sdk;
  readonly name: SdkName;
  readonly api: FakeApi;
  readonly home: IsolatedHome;
  readonly #replies: Reply[];

  private constructor(name: SdkName, sdk: Sdk, home: IsolatedHome, api: FakeApi, replies: Reply[]) {
    this.name = name;
    this.sdk = sdk;
    this.home = home;
    this.api = api;
    this.#replies = replies;
  }

  /** Opens a stage for a scenario, closes it, and returns the scenario's facts without ids, paths and times. */
  static async play<T>(name: SdkName, scenario: (stage: Stage) => Promise<T>): Promise<T> {
    const sdk = await loadSdk(name);
    const replies: Reply[] = [];
    const api = await startFakeApi(() => replies.shift() ?? { type: 'text', text: '(no reply left)' });
    const home = await isolatedHome(api.url);
    const before = { ...process.env };
    try {
      return normalised(await scenario(new Stage(name, sdk, home, api, replies)), { home, api });
    } finally {
      restoreEnv(before);
      for (const { pid } of processesOf(home.root)) killQuietly(pid);
      await api.close();
      await home[Symbol.asyncDispose]();
    }
  }

  /** Adds the next replies of the model, one per request. */
  say(...replies: Reply[]): void {
    this.#replies.splice(0, this.#replies.length, ...replies);
  }

  /**
   * The options of every query; `env` is merged over that of the stage. The two SDKs use different names, which changes the offers
   * of the CLI, so both get the same name.
   */
  options({ env, ...more }: Options = {}): Options {
    return {
      pathToClaudeCodeExecutable: realCli(),
      cwd: this.home.project,
      model: 'sonnet',
      env: this.home.env({
        CLAUDE_CODE_ENTRYPOINT: 'comparison',
        IS_SANDBOX: '1',
        CLAUDE_CODE_MAX_RETRIES: '0',
        ...env,
      }),
      ...more,
    };
  }

  /** Runs a query to the end; `each` receives every message before the next is read. */
  async run(prompt: string | AsyncIterable<SDKUserMessage>, options: Options = {}, each?: Each): Promise<Run> {
    return readAll(this.sdk.query({ prompt, options: this.options(options) }), each);
  }

  /** The last request of the main conversation. */
  get lastRequest(): ApiRequest {
    const request = this.api.conversation.at(-1);
    if (request === undefined) throw new Error('The CLI has sent no request.');
    return request;
  }

  /** The result of each tool call for the model, in order. */
  get toolResults(): readonly unknown[] {
    const results = this.api.conversation.flatMap((request) => request.toolResults);
    return results.map(({ text, isError }) => ({ said: text, isError }));
  }

  /** A path in the project. */
  file(name: string): string {
    return join(this.home.project, name);
  }

  /** A shell script instead of the CLI. */
  script(...lines: string[]): string {
    const path = join(this.home.root, 'cli.sh');
    writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** Number of running processes of the stage after the timeout. */
  async left(timeoutMs = 20_000): Promise<number> {
    await waitUntil(() => processesOf(this.home.root).length === 0, { timeoutMs }).catch(() => {});
    return processesOf(this.home.root).length;
  }
}

type Each = (message: SDKMessage, query: Query) => unknown;

/** Reads a query to its end. */
export async function readAll(query: Query, each?: Each): Promise<Run> {
  const messages: SDKMessage[] = [];
  let thrown: unknown;
  let returned: unknown;
  try {
    for (;;) {
      const next = await query.next();
      if (next.done === true) {
        returned = next.value;
        break;
      }
      messages.push(next.value);
      await each?.(next.value, query);
    }
  } catch (error) {
    thrown = error;
  }
  const result = messages.filter((message) => message.type === 'result').at(-1);
  return { query, messages, thrown, returned, result };
}
