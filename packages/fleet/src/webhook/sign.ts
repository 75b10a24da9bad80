import { createHmac } from 'node:crypto';

/** The bytes of a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64; undefined if it is not one. */
export function keyOf(secret: unknown): Buffer | undefined {
  const [, base64] = (typeof secret === 'string' && /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)) || [];
  if (base64 === undefined) return undefined;
  const key = Buffer.from(base64, 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** The signature of a webhook, as Standard Webhooks define it. `timestamp` is in seconds since the epoch. */
export function signatureOf(key: Buffer, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
