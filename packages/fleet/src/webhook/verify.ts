import { timingSafeEqual } from 'node:crypto';
import type { ApprovalNotice } from '../approval/notice.ts';
import { FleetInputError, WebhookError } from '../errors.ts';
import { keyOf, signatureOf } from './sign.ts';

/** A webhook whose signature is valid. */
export interface VerifiedWebhook {
  /** The same for each attempt to send it: ignore one that you have handled. */
  readonly id: string;
  readonly notice: ApprovalNotice;
}

/** The headers of a request: those of Node.js, `Headers`, or an object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How much older or newer a webhook may be than the receiver's clock. */
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Checks the signature and the age of a webhook, and returns its content. `rawBody` is the body as it was received: JSON that was
 * parsed and written again has another signature. With several secrets, one must match, so that they can be replaced one after the other.
 * @throws WebhookError, FleetInputError
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secrets: readonly string[],
  now: number = Date.now(),
): VerifiedWebhook {
  const keys = checkedKeys(secrets);
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new WebhookError('headers');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1_000 - seconds) <= TOLERANCE_SECONDS)) throw new WebhookError('timestamp');
  const expected = keys.map((key) => signatureOf(key, id, timestamp, rawBody));
  const given = signatures
    .split(' ')
    .slice(0, MAX_SIGNATURES)
    .flatMap((signature) => (signature.startsWith('v1,') ? [Buffer.from(signature.slice(3), 'base64')] : []));
  // All are compared, whichever matches.
  const matches = given.flatMap((one) =>
    expected.map((other) => one.length === other.length && timingSafeEqual(one, other)),
  );
  if (!matches.includes(true)) throw new WebhookError('signature');
  try {
    // A signed body has been written by a worker.
    return { id, notice: JSON.parse(Buffer.from(rawBody).toString('utf8')) as ApprovalNotice };
  } catch {
    throw new WebhookError('body');
  }
}

const MAX_SIGNATURES = 20;

/** The bytes of all secrets. @throws FleetInputError */
export function checkedKeys(secrets: unknown): readonly Buffer[] {
  const keys = Array.isArray(secrets) ? secrets.map(keyOf) : [];
  const found = keys.filter((key) => key !== undefined);
  if (found.length > 0 && found.length === keys.length) return found;
  throw new FleetInputError('secrets', 'must be a list of secrets: each whsec_ and 24 to 64 bytes in base64.');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) throw new FleetInputError('headers', 'must be an object.');
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  // An object without the method of `Headers`.
  const fields = Object.entries(headers as Readonly<Record<string, unknown>>);
  const value = fields.find(([field]) => field.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}
