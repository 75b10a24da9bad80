import { UUID } from '@coxswain/shared/uuid';
import type { Conversation } from './conversation.ts';
import { startFailure } from './frames/result.ts';

/** Why `--resume` finds no session, in the CLI's words. */
export function resumeProblem({ args, script, world }: Conversation): string | undefined {
  const { resume } = args;
  if (resume === undefined) return undefined;
  if (!UUID.test(resume)) {
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

/** Exits before the session starts: a result without an init, and the same words on stderr. */
export function failStart(conversation: Conversation, problem: string): void {
  conversation.write(startFailure(conversation, problem));
  conversation.stderr(problem);
  conversation.exit(1);
}
