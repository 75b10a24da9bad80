import { resolve } from 'node:path';
import { checking, OptionsError } from '../errors/options.ts';
import { LONGEST_TIMER_MS } from '../limits.ts';
import { callback, shape, whole } from '../options/checks.ts';
import { checkShareable, type UnshareableOption } from '../options/layers.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { planSession } from '../options/plan.ts';
import type { RunEvent } from '../report/events.ts';
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
  /** For how many keys the conversation is remembered; the least recently used is forgotten first. 10,000 by default. */
  readonly maxKeys?: number | undefined;
  /** Called with every event of the pool, from the first one. */
  readonly onEvent?: ((event: PoolEvent) => void) | undefined;
}

/** The checked options of a pool, with the defaults filled in. */
export interface PoolPlan<T = unknown> extends PoolNumbers {
  /** The options that all sessions share, the strongest layer first. */
  readonly layers: readonly AgentOptions<T>[];
  readonly session: ((key: string | null) => AgentOptions<T> | undefined) | undefined;
  readonly onEvent: ((event: PoolEvent) => void) | undefined;
}

/**
 * Checks the pool's own options; `layers` lie below its defaults. The session options in the defaults are not checked
 * here: see `defaultsProblem`.
 * @throws OptionsError
 */
export function planPool<T>(options: PoolOptions<T>, layers: readonly AgentOptions<T>[]): PoolPlan<T> {
  const { defaults = {}, ...own } = isObject(options) ? options : { size: Number.NaN };
  const size = typeof own.size === 'number' ? own.size : 1;
  // PoolDefaults leaves some options out; the rest are session options.
  const shared = [defaults as AgentOptions<T>, ...layers];
  checking((report) => {
    SHAPE(own, 'pool', (path, message) => report(path.replace(/^pool\./, ''), message));
    if (typeof own.prewarm === 'number' && own.prewarm > size) report('prewarm', 'must not be more than size.');
    const instead = 'return it from session(key), or pass it to a job';
    for (const layer of shared) checkShareable(layer, instead, (path, text) => report(`defaults.${path}`, text));
  });
  const { session, onEvent, ...numbers } = own;
  const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
  const perKey = numbers.queue ?? DEFAULTS.queue;
  return { ...DEFAULTS, perKey, ...given, size, layers: shared, session, onEvent };
}

/** What is wrong with the options that all sessions share; no job could run with them. */
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

/** The options of one session of a pool, by where they come from. */
export interface SessionParts {
  readonly key: string | null;
  readonly resume: string | undefined;
  /** The model to continue with, unless another layer names one. */
  readonly model?: string | undefined;
  /** Options of the job the session is started for. */
  readonly job: AgentOptions | undefined;
  /** Options of the key. */
  readonly own: AgentOptions | undefined;
  /** Options that all sessions share, the strongest layer first. */
  readonly shared: readonly AgentOptions[];
  readonly onEvent: (event: RunEvent) => void;
}

/** The options of one session in layers, the strongest first. @throws OptionsError */
export function sessionLayers(parts: SessionParts): readonly AgentOptions[] {
  const { key, resume, model, job = {}, own = {}, shared, onEvent } = parts;
  const below = [resume === undefined ? own : withoutConversation(own), ...shared];
  const given = [withDenials(job, below), ...below];
  if (key !== null && isNotPersisted(given)) {
    const message = 'cannot be false for a job with a key: its conversation is resumed from disk.';
    throw new OptionsError([{ path: 'persistSession', message }]);
  }
  const listener = given.find((layer) => layer.onEvent !== undefined)?.onEvent;
  const tellBoth = (event: RunEvent): void => {
    onEvent(event);
    listener?.(event);
  };
  return [
    { onEvent: tellBoth, ...(resume !== undefined && { resume }) },
    ...given,
    ...(model === undefined ? [] : [{ model }]),
  ];
}

/** The options of a key. @throws OptionsError, or what `session` throws */
export function ownOptions(session: PoolPlan['session'], key: string | null): AgentOptions | undefined {
  const own = session?.(key);
  if (!isObject(own) || !('then' in own)) return own;
  Promise.resolve(own).catch(() => {});
  throw new OptionsError([{ path: 'session', message: 'must return options, not a promise.' }]);
}

/** Whether sessions with these options leave nothing on disk that could be resumed. */
export function isNotPersisted(layers: readonly AgentOptions[]): boolean {
  return layers.find(({ persistSession }) => persistSession !== undefined)?.persistSession === false;
}

/** The working directory of sessions with these options. */
export function directoryOf(layers: readonly AgentOptions[]): string {
  // An empty string means the current directory, like no `cwd`.
  return resolve(layers.find(({ cwd }) => cwd !== undefined)?.cwd ?? '');
}

/** Adds the denied tools of the pool to those of a job, whose list would replace them: a job cannot deny fewer. */
function withDenials(job: AgentOptions, below: readonly AgentOptions[]): AgentOptions {
  const shared: unknown = below.find(({ disallowedTools }) => disallowedTools !== undefined)?.disallowedTools;
  // Anything but a list is reported with the other options of its layer.
  if (job.disallowedTools === undefined || !Array.isArray(shared)) return job;
  return { ...job, disallowedTools: [...new Set([...shared, ...job.disallowedTools])] };
}

/** Removes the options that say where a conversation starts: it is resumed instead. */
function withoutConversation(options: AgentOptions): AgentOptions {
  const { sessionId, resume, resumeAt, continue: _, forkSession, ...kept } = options;
  return kept;
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
  },
  { needs: ['size'] },
);

const DRAIN_SHAPE = shape({ timeoutMs: whole(0, LONGEST_TIMER_MS) });
