import { resolve } from 'node:path';
import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { checking, OptionsError } from '../errors/options.ts';
import { callback, shape, whole } from '../options/checks.ts';
import { environmentLayer } from '../options/environment.ts';
import { readDefaults, type UnshareableOption } from '../options/layers.ts';
import { type OptionLayer, ownLayer, readLayer, withoutConversation } from '../options/option-layer.ts';
import type { AgentOptions, OptionName } from '../options/option-types.ts';
import { cwdOf, planSession } from '../options/plan.ts';
import { withDenials } from '../options/process-options.ts';
import { isJsonObject as isObject } from '../wire/kinds.ts';
import type { DrainOptions } from './pool.ts';
import type { PoolEvent } from './pool-events.ts';

/** The options that all sessions of a pool share. */
export type PoolDefaults<T = unknown> = Omit<AgentOptions<T>, UnshareableOption>;

/** The options of `createPool`. */
export interface PoolOptions<T = unknown> {
  /** How many CLI processes can exist at the same time, including idle, prewarmed, starting and stopping ones. */
  readonly size: number;
  /** How many of them are kept started and ready for new keys. 0 by default. */
  readonly prewarm?: number | undefined;
  /** How many jobs can wait; the next one fails with `PoolQueueFullError`. 1,000 by default. */
  readonly queue?: number | undefined;
  /** How many jobs of one key can wait. The same as `queue` by default. */
  readonly perKey?: number | undefined;
  /** The options that all sessions share. Prewarmed sessions have no others. */
  readonly defaults?: PoolDefaults<T> | undefined;
  /**
   * Returns the options of a key's sessions, over the defaults (`null`: for a job without a key). A key for which it
   * returns nothing can adopt a prewarmed session.
   */
  readonly session?: ((key: string | null) => AgentOptions<T> | undefined) | undefined;
  /** How long a session can be idle before its process is stopped. 5 minutes by default. */
  readonly idleMs?: number | undefined;
  /** How long background work of a finished turn keeps its session from being stopped. 10 minutes by default. */
  readonly backgroundWaitMs?: number | undefined;
  /** How often the health of each session is checked. 30 s by default. */
  readonly healthCheckMs?: number | undefined;
  /** How long a session can take to answer a health check. 10 s by default. */
  readonly healthTimeoutMs?: number | undefined;
  /** For how many keys the conversation, and what it has cost, is remembered; the least recently used is forgotten first. 10,000 by default. */
  readonly maxKeys?: number | undefined;
  /** Called with every event of the pool, from the first one. */
  readonly onEvent?: ((event: PoolEvent) => void) | undefined;
}

/** The checked options of a pool, with the defaults filled in. */
export interface PoolPlan<T = unknown> extends PoolNumbers {
  /** The options that all sessions share, the strongest layer first. */
  readonly layers: readonly OptionLayer[];
  readonly session: ((key: string | null) => AgentOptions<T> | undefined) | undefined;
  readonly onEvent: ((event: PoolEvent) => void) | undefined;
  /** The working directory of the host when the pool was created; undefined if it no longer existed. */
  readonly hostCwd: string | undefined;
}

/**
 * Checks the pool's own options; `layers` lie below its defaults. The session options in the defaults are not checked
 * here: see `defaultsProblem`.
 * @throws OptionsError
 */
export function planPool<T>(options: PoolOptions<T>, layers: readonly OptionLayer[]): PoolPlan<T> {
  return checking((report) => {
    // The fields of a pool's options are named as they are written in the call.
    const { defaults, ...own } = (SHAPE(options, 'pool', (path, text) => report(path.replace(/^pool\./, ''), text)) ??
      {}) as CheckedPool<T>;
    const instead = 'return it from session(key), or pass it to a job';
    const shared = readDefaults(defaults, instead, (path, text) => report(`defaults.${path}`, text));
    const { size = 1, prewarm = 0 } = own;
    if (prewarm > size) report('prewarm', 'must not be more than size.');
    const perKey = own.queue ?? DEFAULTS.queue;
    const plan = { ...DEFAULTS, session: undefined, onEvent: undefined };
    return { ...plan, perKey, ...own, size, layers: [shared, ...layers], hostCwd: cwdOf(process) };
  });
}

/** The problem of the options that all sessions share, with which no job could run. */
export function defaultsProblem({ layers }: PoolPlan): OptionsError | undefined {
  try {
    planSession(layers, process);
    return undefined;
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return new OptionsError(error.problems.map(({ path, message }) => ({ path: `defaults.${path}`, message })));
  }
}

/** Checks the options of `drain()`. @throws OptionsError */
export function checkDrain(options: DrainOptions): DrainOptions {
  checking((report) => DRAIN_SHAPE(options, 'drain', report));
  return options;
}

/** The options of one session of a pool, by source. */
export interface SessionParts {
  readonly key: string | null;
  readonly resume: string | undefined;
  /** The model to continue with, unless another layer names one. */
  readonly model?: string | undefined;
  /** The budget of the process, if the conversation has one. */
  readonly maxBudgetUsd?: number | undefined;
  /** Options of the job the session is started for. */
  readonly job: AgentOptions | undefined;
  /** Options of the key. */
  readonly own: OptionLayer | undefined;
  /** Options that all sessions share, the strongest layer first. */
  readonly shared: readonly OptionLayer[];
}

/** The options of one session in layers, the strongest first. @throws OptionsError */
export function sessionLayers(parts: SessionParts): readonly OptionLayer[] {
  const { key, resume, model, maxBudgetUsd, job = {}, own = ownLayer({}), shared } = parts;
  const below = [resume === undefined ? own : withoutConversation(own), ...shared];
  const given = [ownLayer(withDenials(job, strongest(below, 'disallowedTools'))), ...below];
  if (key !== null && isNotPersisted(given)) {
    const message = 'cannot be false for a job with a key: its conversation is resumed from disk.';
    throw new OptionsError([{ path: 'persistSession', message }]);
  }
  return [ownLayer({ resume, maxBudgetUsd }), ...given, ownLayer({ model })];
}

/** The budget of a key's conversation; that of a job is separate. */
export function conversationBudget(own: OptionLayer | undefined, shared: readonly OptionLayer[]): number | undefined {
  const environment = readLayer(environmentLayer(process.env));
  return strongest([own ?? ownLayer({}), ...shared, environment], 'maxBudgetUsd');
}

/** The options of a key. @throws OptionsError, or what `session` throws */
export function ownOptions(session: PoolPlan['session'], key: string | null): OptionLayer | undefined {
  const own = session?.(key);
  if (!isObject(own) || !('then' in own)) return own === undefined ? undefined : readLayer(own);
  Promise.resolve(own).catch(() => {});
  throw new OptionsError([{ path: 'session', message: 'must return options, not a promise.' }]);
}

/** Whether sessions with these options leave nothing on disk that could be resumed. */
export function isNotPersisted(layers: readonly OptionLayer[]): boolean {
  return strongest(layers, 'persistSession') === false;
}

/** The working directory of sessions with these options. */
export function directoryOf(layers: readonly OptionLayer[], hostCwd = '/'): string {
  // An empty string means the directory of the host, like no `cwd`.
  return resolve(hostCwd, strongest(layers, 'cwd') ?? '');
}

/** The value of the strongest layer that has one. */
function strongest<N extends OptionName>(layers: readonly OptionLayer[], name: N): AgentOptions[N] {
  return layers.find(({ values }) => values[name] !== undefined)?.values[name];
}

type PoolTimes = 'idleMs' | 'backgroundWaitMs' | 'healthCheckMs' | 'healthTimeoutMs';
type PoolNumbers = Readonly<Record<'size' | 'prewarm' | 'queue' | 'perKey' | 'maxKeys' | PoolTimes, number>>;

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
    defaults: (value) => value,
  },
  { needs: ['size'] },
);

/** The checked options: every existing field has a value. */
type CheckedPool<T> = { [F in keyof PoolOptions<T>]?: Exclude<PoolOptions<T>[F], undefined> };

const DRAIN_SHAPE = shape({ timeoutMs: whole(0, LONGEST_TIMER_MS) });
