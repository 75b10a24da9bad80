import { createHmac, timingSafeEqual } from 'node:crypto';

// #region signature
/** True if Slack has sent this body with its signature, within the last five minutes. */
export function isFromSlack(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  secret: string,
  now = Date.now(),
): boolean {
  const sent = `${headers['x-slack-request-timestamp']}`;
  if (!/^\d+$/.test(sent) || Math.abs(now / 1_000 - Number(sent)) > 300) return false;
  const expected = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${sent}:${body}`).digest('hex')}`);
  const given = Buffer.from(`${headers['x-slack-signature']}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
// #endregion
