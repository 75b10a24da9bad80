import type { ApprovalNotice } from '../approval/notice.ts';
import { FleetInputError } from '../errors.ts';
import { checkedOptions, checkedWhole } from '../fleet/input.ts';
import { signatureOf } from './sign.ts';
import { checkedKeys } from './verify.ts';

/** Where notices about approvals are sent. Neither the URL nor the secrets are stored in the database. */
export interface ApprovalWebhook {
  readonly url: string;
  /** Signs with each: `whsec_` and 24 to 64 random bytes in base64. To replace one, add the new one, then remove the old one. */
  readonly secrets: readonly string[];
  /** Time for a response; 10 s by default, 60 s at most. */
  readonly timeoutMs?: number | undefined;
}

/** Sends a notice; `now` is the time of the database. @throws NoticeRefused */
export type SendNotice = (id: string, notice: ApprovalNotice, now: Date, signal: AbortSignal) => Promise<void>;

/** Why a notice was not accepted, in a few words and without the URL. */
export class NoticeRefused extends Error {
  /** True if the receiver has asked for no more notices. */
  readonly isFinal: boolean;

  constructor(reason: string, isFinal = false) {
    super(reason);
    this.isFinal = isFinal;
  }
}

/** Checks the options of a webhook, and returns the function that sends. @throws FleetInputError */
export function webhookSender(given: ApprovalWebhook): SendNotice {
  const {
    url,
    secrets,
    timeoutMs = 10_000,
  } = checkedOptions(given, { url: true, secrets: true, timeoutMs: true }, 'notify');
  const target = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (!target || !/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '')
    throw new FleetInputError('url', 'must be an address that begins with https:// or http://, without a password.');
  const keys = checkedKeys(secrets);
  checkedWhole('timeoutMs', timeoutMs, 1, 60_000);
  return async (id, notice, now, signal) => {
    const body = JSON.stringify(notice);
    // The receiver refuses a webhook whose time is wrong, as the clock of this machine may be.
    const timestamp = String(Math.floor(now.getTime() / 1_000));
    const signatures = keys.map((key) => `v1,${signatureOf(key, id, timestamp, body).toString('base64')}`);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(target, { method: 'POST', body, headers, redirect: 'manual', signal: limit }).catch(
      (error: unknown) => {
        throw new NoticeRefused(reasonOf(error));
      },
    );
    // The status is enough: nothing of the response is read.
    await response.body?.cancel().catch(() => {});
    if (!response.ok) throw new NoticeRefused(`HTTP ${response.status}`, response.status === 410);
  };
}

/** The code of a failure; its message may contain the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code: unknown = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
}
