import type { ApprovalTerms } from '../../api.ts';
import { age } from '../text/format.ts';

/** `parked for 3h, holds nothing; release, leads may answer; denied in 5h`. */
export function termsText({ groups, expiresAt, onExpiry, parkedAt }: ApprovalTerms, now: number): string {
  const parts = [`${groups === null ? 'anyone' : groups.join(', ')} may answer`];
  if (parkedAt !== null) parts.unshift(`parked ${unlessNow('for', age(parkedAt, now))}, holds nothing`);
  if (expiresAt !== null) {
    parts.push(`${onExpiry === 'escalate' ? 'escalated' : 'denied'} ${unlessNow('in', age(now, expiresAt))}`);
  }
  return parts.join('; ');
}

function unlessNow(word: 'for' | 'in', time: string): string {
  return time === 'now' ? 'now' : `${word} ${time}`;
}
