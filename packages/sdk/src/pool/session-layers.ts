import { resolve } from 'node:path';
import { OptionsError } from '../errors/options.ts';
import { isObject } from '../options/checks.ts';
import type { AgentOptions } from '../options/groups.ts';
import type { RunEvent } from '../stream/events.ts';
import type { PoolPlan } from './options.ts';

/** What the layers of a pool's session are made from. */
export interface LayerParts {
  readonly key: string | null;
  /** The session id of the conversation it takes up. */
  readonly resume: string | undefined;
  /** The model to go on with, if nothing else names one. */
  readonly model?: string | undefined;
  /** What the job it is started for has of its own. */
  readonly job: AgentOptions | undefined;
  /** What its key has of its own. */
  readonly own: AgentOptions | undefined;
  /** What all sessions have in common, the strongest first. */
  readonly shared: readonly AgentOptions[];
  readonly onEvent: (event: RunEvent) => void;
}

/** The options of a pool's session in layers, the strongest first. @throws OptionsError */
export function sessionLayers({
  key,
  resume,
  model,
  job = {},
  own = {},
  shared,
  onEvent,
}: LayerParts): readonly AgentOptions[] {
  const below = [resume === undefined ? own : withoutConversation(own), ...shared];
  const given = [withDenials(job, below), ...below];
  if (key !== null && keepsNothing(given)) {
    const message = 'cannot be false for a job with a key: its conversation is taken up from disk again.';
    throw new OptionsError([{ path: 'persistSession', message }]);
  }
  const listener = given.find((layer) => layer.onEvent !== undefined)?.onEvent;
  const tell = (event: RunEvent): void => {
    onEvent(event);
    listener?.(event);
  };
  return [
    { onEvent: tell, ...(resume !== undefined && { resume }) },
    ...given,
    ...(model === undefined ? [] : [{ model }]),
  ];
}

/** What a key has of its own. @throws OptionsError, what `session` throws */
export function ownOptions(session: PoolPlan['session'], key: string | null): AgentOptions | undefined {
  const own = session?.(key);
  if (!isObject(own) || !('then' in own)) return own;
  Promise.resolve(own).catch(() => {});
  throw new OptionsError([{ path: 'session', message: 'must return options, not a promise.' }]);
}

/** Whether such sessions leave nothing on disk to be taken up again. */
export function keepsNothing(layers: readonly AgentOptions[]): boolean {
  return layers.find(({ persistSession }) => persistSession !== undefined)?.persistSession === false;
}

/** The directory in which such sessions run. */
export function directoryOf(layers: readonly AgentOptions[]): string {
  // An empty one means the host's, as none does.
  return resolve(layers.find(({ cwd }) => cwd !== undefined)?.cwd ?? '');
}

/** A job can deny more than its pool does, not less: its list would replace theirs. */
function withDenials(job: AgentOptions, below: readonly AgentOptions[]): AgentOptions {
  const shared: unknown = below.find(({ disallowedTools }) => disallowedTools !== undefined)?.disallowedTools;
  // What is no list is reported with the other options of its layer.
  if (job.disallowedTools === undefined || !Array.isArray(shared)) return job;
  return { ...job, disallowedTools: [...new Set([...shared, ...job.disallowedTools])] };
}

/** What said where to begin is of no use once the conversation has. */
function withoutConversation(options: AgentOptions): AgentOptions {
  const { sessionId, resume, resumeAt, continue: _, forkSession, ...kept } = options;
  return kept;
}
