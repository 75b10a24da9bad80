import { UUID } from '@coxswain/shared/uuid';
import { getSession, listSessions, type SessionDetails, type SessionInfo } from 'coxswain/transcripts';
import { UsageError } from '../exit-codes.ts';

/** The session with this id, or the only one whose id starts with it. @throws UsageError, SessionNotFoundError */
export async function findSession(wanted: string): Promise<SessionDetails> {
  if (UUID.test(wanted)) return await getSession(wanted);
  if (wanted.length < 4) {
    throw new UsageError(`${wanted} is too short: pass the whole session id, or at least its first four characters.`);
  }
  const found = (await listSessions()).filter(({ id }) => id.startsWith(wanted.toLowerCase()));
  const [only, ...others] = found;
  if (only === undefined) throw new UsageError(`No session id starts with ${wanted}. See: cox sessions list --all`);
  if (others.length > 0) throw new UsageError(`${wanted} is ambiguous; it matches:\n${found.map(line).join('\n')}`);
  return await getSession(only.id);
}

function line({ id, title }: SessionInfo): string {
  return `  ${id}  ${title}`;
}
