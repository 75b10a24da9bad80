import type { CliArguments } from '../arguments.ts';
import type { Checkpoints, Costs, World } from './effects.ts';
import type { Usage } from './frames/usage.ts';

interface Run {
  readonly args: CliArguments;
  readonly world: World;
}

interface CountedRun extends Run {
  readonly sessionId: string;
  readonly modelUsage: ReadonlyMap<string, Usage>;
}

interface CheckedRun extends Run {
  readonly sessionId: string;
  readonly checkpoints: ReadonlyMap<string, readonly string[]>;
}

/** The session a run continues, or the id it was given, or none. */
export function givenSessionId({ args, world }: Run): string | undefined {
  if (args.sessionId !== undefined) return args.sessionId;
  return args.flags.has('--fork-session') ? undefined : earlierSession({ args, world });
}

/** The checkpoints of a run that continues a session or a copy of it. */
export function earlierCheckpoints(run: Run): Checkpoints {
  const earlier = earlierSession(run);
  return earlier === undefined ? {} : run.world.sessions.checkpoints(earlier);
}

/** The costs from which a run that continues a session, or a copy of it, keeps counting. */
export function earlierCosts(run: Run): Costs {
  const earlier = earlierSession(run);
  return (earlier === undefined ? undefined : run.world.sessions.costs(earlier)) ?? {};
}

/** The process exits cleanly; a killed process leaves the values of the previous one. */
export function rememberCosts({ args, world, sessionId, modelUsage }: CountedRun): void {
  if (args.flags.has('--no-session-persistence') || !world.sessions.has(sessionId)) return;
  world.sessions.rememberCosts(sessionId, Object.fromEntries(modelUsage));
}

function earlierSession({ args, world }: Run): string | undefined {
  return args.resume ?? (args.continues ? world.sessions.newest() : undefined);
}

/** A session can be resumed once it has a prompt. */
export function rememberSession({ args, world, sessionId, checkpoints }: CheckedRun): void {
  if (args.flags.has('--no-session-persistence')) return;
  world.sessions.remember(sessionId, Object.fromEntries(checkpoints));
}
