import { isUuid } from '../arguments.ts';
import type { Conversation } from './conversation.ts';
import type { Checkpoints, Costs } from './effects.ts';
import { startFailure } from './frames/result.ts';

/** The id of the continued session, or the given id, if any. */
export function givenSessionId({ args, world }: Pick<Conversation, 'args' | 'world'>): string | undefined {
  if (args.sessionId !== undefined) return args.sessionId;
  return args.flags.has('--fork-session') ? undefined : earlierSession({ args, world });
}

/** The checkpoints of a continued or forked session. */
export function earlierCheckpoints(run: Pick<Conversation, 'args' | 'world'>): Checkpoints {
  const earlier = earlierSession(run);
  return earlier === undefined ? {} : run.world.sessions.checkpoints(earlier);
}

/** The initial costs of a continued or forked session. */
export function earlierCosts(run: Pick<Conversation, 'args' | 'world'>): Costs {
  const earlier = earlierSession(run);
  return (earlier === undefined ? undefined : run.world.sessions.costs(earlier)) ?? {};
}

/** Stores the costs at a clean exit; a killed process leaves the values of the previous one. */
export function rememberCosts({ args, world, sessionId, modelUsage }: Conversation): void {
  if (args.flags.has('--no-session-persistence') || !world.sessions.has(sessionId)) return;
  world.sessions.rememberCosts(sessionId, Object.fromEntries(modelUsage));
}

function earlierSession({ args, world }: Pick<Conversation, 'args' | 'world'>): string | undefined {
  return args.resume ?? (args.continues ? world.sessions.newest() : undefined);
}

/** The CLI's message if `--resume` finds no session. */
export function resumeProblem({ args, script, world }: Conversation): string | undefined {
  const { resume } = args;
  if (resume === undefined) return undefined;
  if (!isUuid(resume)) {
    return `Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value "${resume}" is not a UUID and does not match any session title.`;
  }
  const known = script.cli.sessions.includes(resume) || world.sessions.has(resume);
  return known ? undefined : `No conversation found with session ID: ${resume}`;
}

/** The CLI's message for a new session under an existing id. */
export function takenId({ args, world }: Conversation): string | undefined {
  const { sessionId } = args;
  if (sessionId === undefined || !world.sessions.has(sessionId)) return undefined;
  return `Error: Session ID ${sessionId} is already in use.`;
}

/** A session can be resumed once it has a prompt. */
export function rememberSession({ args, world, sessionId, checkpoints }: Conversation): void {
  if (args.flags.has('--no-session-persistence')) return;
  world.sessions.remember(sessionId, Object.fromEntries(checkpoints));
}

/** Exits before the session starts: a result without an init, and the same text on stderr. */
export function failStart(conversation: Conversation, problem: string): void {
  conversation.write(startFailure(conversation, problem));
  conversation.stderr(problem);
  conversation.exit(1);
}
