import type { ApiRequest, ApiScript, FakeApiOptions } from '@coxswain/testkit';
import { createPool, type Pool, type PoolEvent, type PoolOptions } from 'coxswain';
import { realCli } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A scene in which pools run. */
export interface PoolStage extends Scene {
  /** Creates a pool that uses only this stage. */
  pool(options: PoolOptions): Pool;
  /** Everything that happened in its pools. */
  readonly events: readonly PoolEvent[];
  /** The first event of a type; waits until it occurs. */
  happened<T extends PoolEvent['type']>(type: T): Promise<Extract<PoolEvent, { type: T }>>;
  /** The prompts and answers in a request, in order; by default of the last request. */
  history(request?: ApiRequest): string[];
}

/** Sets up a stage. Its disposal closes the pools and fails if a process has outlived them. */
export async function openPoolStage(
  script: ApiScript,
  options: FakeApiOptions & { readonly version?: string | undefined } = {},
): Promise<PoolStage> {
  const scene = await openScene(script, options);
  const { api, home } = scene;
  const pools: Pool[] = [];
  const events: PoolEvent[] = [];
  const common = { cli: realCli(options.version), cwd: home.project, inheritEnv: false, env: home.env() };
  return {
    ...scene,
    events,
    pool(given) {
      const pool = createPool({
        ...given,
        defaults: { ...common, ...given.defaults },
        onEvent: (event) => void events.push(event),
      });
      pools.push(pool);
      return pool;
    },
    happened: (type) =>
      // Selected by its type.
      waitUntil(() => events.find((event) => event.type === type) as never, { timeoutMs: 20_000, what: type }),
    history: (request = api.conversation.at(-1)) =>
      [...JSON.stringify(request?.body.messages ?? []).matchAll(SAID)].map(([words]) => words),
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.close()));
      await scene[Symbol.asyncDispose]();
    },
  };
}

/** The prompts and answers in the tests. */
const SAID = /(?:first|second|third) (?:prompt|answer)/g;
