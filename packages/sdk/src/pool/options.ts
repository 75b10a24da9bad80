import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { LONGEST_TIMER_MS } from '../limits.ts';
import { callback, isObject, shape, whole } from '../options/checks.ts';
import type { AgentOptions } from '../options/groups.ts';
import { isConnectable } from '../options/sdk-server.ts';
import type { PoolEvent } from './events.ts';

/** The options that every session of a pool starts from. */
export type PoolDefaults<T = unknown> = Omit<AgentOptions<T>, OfOneConversation>;

/** Everything `createPool` takes. */
export interface PoolOptions<T = unknown> {
  /** How many CLI processes may live at once: working, idle, prewarmed, starting and leaving ones together. */
  readonly size: number;
  /** How many of them are kept started and ready for keys that are new. 0 by default. */
  readonly prewarm?: number | undefined;
  /** How many jobs may wait; one more is a `PoolQueueFullError`. 1,000 by default. */
  readonly queue?: number | undefined;
  /** How many jobs of one key may wait. As many as the queue holds by default. */
  readonly perKey?: number | undefined;
  /** What all sessions have in common. Prewarmed ones have nothing else. */
  readonly defaults?: PoolDefaults<T> | undefined;
  /**
   * What the sessions of a key have beyond the defaults (`null`: of a job without a key). A key for which it gives
   * nothing can adopt a prewarmed session.
   */
  readonly session?: ((key: string | null) => AgentOptions<T> | undefined) | undefined;
  /** How long a session may be idle before its process is ended. 5 minutes by default. */
  readonly idleMs?: number | undefined;
  /** How long what a turn left running in the background keeps its session from being ended. 10 minutes by default. */
  readonly backgroundWaitMs?: number | undefined;
  /** How often each session is looked at. 30 s by default. */
  readonly healthCheckMs?: number | undefined;
  /** How long a session may take to answer when it is looked at. 10 s by default. */
  readonly healthTimeoutMs?: number | undefined;
  /** How many keys' conversations are remembered; the least recently used is forgotten first. 10,000 by default. */
  readonly maxKeys?: number | undefined;
  /** Called with every event of the pool, from the first on. */
  readonly onEvent?: ((event: PoolEvent) => void) | undefined;
}

/** The options of a pool, checked, with the defaults filled in. */
export interface PoolPlan<T = unknown> extends PoolNumbers {
  /** Below what a key has of its own, the strongest first. */
  readonly layers: readonly AgentOptions<T>[];
  readonly session: ((key: string | null) => AgentOptions<T> | undefined) | undefined;
  readonly onEvent: ((event: PoolEvent) => void) | undefined;
}

/**
 * Checks what a pool has of its own; `layers` lie below its defaults. The defaults are options of sessions, which are
 * checked where those are made: see check-defaults.ts.
 * @throws OptionsError
 */
export function planPool<T>(options: PoolOptions<T>, layers: readonly AgentOptions<T>[]): PoolPlan<T> {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  const { defaults = {}, ...numbers } = isObject(options) ? options : { size: Number.NaN };
  SHAPE(numbers, 'pool', (path, message) => report(path.replace(/^pool\./, ''), message));
  const size = typeof numbers.size === 'number' ? numbers.size : 1;
  if (typeof numbers.prewarm === 'number' && numbers.prewarm > size) report('prewarm', 'must not be more than size.');
  // The compiler does not see that what is left out of the defaults' type are options of sessions, too.
  const below = [defaults as AgentOptions<T>, ...layers];
  for (const layer of below) checkShared(layer, report);
  if (problems.length > 0) throw new OptionsError(problems);
  const { session, onEvent, ...given } = numbers;
  return {
    ...DEFAULTS,
    perKey: given.queue ?? DEFAULTS.queue,
    ...defined(given),
    size,
    layers: below,
    session,
    onEvent,
  };
}

/** Belongs to one conversation, so it cannot be shared. */
type OfOneConversation = (typeof OF_ONE_CONVERSATION)[number];

/** The numbers of a pool. */
interface PoolNumbers {
  readonly size: number;
  readonly prewarm: number;
  readonly queue: number;
  readonly perKey: number;
  readonly idleMs: number;
  readonly backgroundWaitMs: number;
  readonly healthCheckMs: number;
  readonly healthTimeoutMs: number;
  readonly maxKeys: number;
}

const OF_ONE_CONVERSATION = ['signal', 'sessionId', 'resume', 'resumeAt', 'continue', 'forkSession'] as const;

const DEFAULTS: Omit<PoolNumbers, 'size' | 'perKey'> = {
  prewarm: 0,
  queue: 1_000,
  idleMs: 5 * 60_000,
  backgroundWaitMs: 10 * 60_000,
  healthCheckMs: 30_000,
  healthTimeoutMs: 10_000,
  maxKeys: 10_000,
};

const milliseconds = whole(1, LONGEST_TIMER_MS);

const SHAPE = shape(
  {
    size: whole(1),
    prewarm: whole(0),
    queue: whole(1),
    perKey: whole(1),
    session: callback,
    idleMs: milliseconds,
    backgroundWaitMs: milliseconds,
    healthCheckMs: milliseconds,
    healthTimeoutMs: milliseconds,
    maxKeys: whole(1),
    onEvent: callback,
  },
  { needs: ['size'] },
);

/** What only one session can use cannot be given to all. */
function checkShared(layer: AgentOptions, report: (path: string, message: string) => void): void {
  if (!isObject(layer)) return;
  for (const name of OF_ONE_CONVERSATION) {
    if (layer[name] !== undefined)
      report(`defaults.${name}`, 'is for one session: give it in session(key), or to a job.');
  }
  if (isObject(layer.transport)) {
    report('defaults.transport', 'is one connection, which one session can use: give a function that makes them.');
  }
  for (const [name, server] of Object.entries(layer.mcpServers ?? {})) {
    if (!isConnectable(server)) continue;
    const message = 'is one server, which one session at a time can use: give { create: () => server } instead.';
    report(`defaults.mcpServers.${name}`, message);
  }
}

function defined<O extends object>(options: O): { [K in keyof O]: Exclude<O[K], undefined> } {
  // What is left has no `undefined` in it.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
