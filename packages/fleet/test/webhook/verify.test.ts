import { createHmac } from 'node:crypto';
import { verifyWebhook } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';

/** The example of the specification of Standard Webhooks. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const at = 1_614_265_330_000;
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('verifyWebhook()', () => {
  it('[F-34] accepts the example of the specification, from any kind of headers, as text and as bytes', () => {
    const verified = { id: headers['webhook-id'], notice: { test: 2_432_232_314 } };
    expect(verifyWebhook(headers, body, [secret], at)).toEqual(verified);
    expect(verifyWebhook(new Headers(headers), Buffer.from(body), [secret], at)).toEqual(verified);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(verifyWebhook(upper, body, [secret], at)).toEqual(verified);
  });

  it('[F-34] one of several secrets and one of several signatures is enough, so that secrets can be replaced', () => {
    expect(verifyWebhook(headers, body, [other, secret], at).id).toBe(headers['webhook-id']);
    const signature = `v1,AAAA v2,${'A'.repeat(43)}= ${headers['webhook-signature']}`;
    expect(verifyWebhook({ ...headers, 'webhook-signature': signature }, body, [secret], at)).toBeDefined();
  });

  it.each<[string, object, string]>([
    ['headers', { 'webhook-id': undefined }, body],
    ['headers', { 'webhook-timestamp': '' }, body],
    ['headers', { 'webhook-signature': undefined }, body],
    ['headers', { 'webhook-signature': [headers['webhook-signature']] }, body],
    ['timestamp', { 'webhook-timestamp': '1614265330.5' }, body],
    ['timestamp', { 'webhook-timestamp': 'now' }, body],
    ['timestamp', { 'webhook-timestamp': '-1614265330' }, body],
    ['timestamp', { 'webhook-timestamp': '1614265029' }, body],
    ['timestamp', { 'webhook-timestamp': '1614265631' }, body],
    ['signature', { 'webhook-timestamp': '1614265331' }, body],
    ['signature', { 'webhook-id': 'msg_other' }, body],
    ['signature', {}, `${body} `],
    ['signature', { 'webhook-signature': headers['webhook-signature'].slice(3) }, body],
    ['signature', { 'webhook-signature': 'v1,' }, body],
    ['signature', { 'webhook-signature': 'v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' }, body],
  ])('[F-34] refuses a webhook that is forged, changed or old: %s (%#)', (problem, change, given) => {
    const call = (): unknown => verifyWebhook({ ...headers, ...change }, given, [secret], at);
    expect(call).toThrow(expect.objectContaining({ code: 'webhook', problem }));
  });

  it('[F-34] refuses the signature of another secret, and the same webhook five minutes later', () => {
    expect(() => verifyWebhook(headers, body, [other], at)).toThrow(expect.objectContaining({ problem: 'signature' }));
    expect(verifyWebhook(headers, body, [secret], at + 300_000)).toBeDefined();
    const late = (): unknown => verifyWebhook(headers, body, [secret], at + 301_000);
    expect(late).toThrow(expect.objectContaining({ problem: 'timestamp' }));
  });

  it('[F-34] a signed body that is not JSON is refused', () => {
    const key = Buffer.from(secret.slice(6), 'base64');
    const signed = createHmac('sha256', key).update('i.1614265330.no').digest('base64');
    const given = { ...headers, 'webhook-id': 'i', 'webhook-signature': `v1,${signed}` };
    expect(() => verifyWebhook(given, 'no', [secret], at)).toThrow(expect.objectContaining({ problem: 'body' }));
  });

  it.each([[], undefined, [''], ['whsec_'], [secret.slice(6)], [`whsec_${'A'.repeat(20)}`], [secret, 5], 'x'])(
    '[F-16, F-34] refuses wrong secrets (%#)',
    (secrets) => {
      const call = (): unknown => verifyWebhook(headers, body, secrets as never, at);
      expect(call).toThrow(expect.objectContaining({ code: 'fleet-input', field: 'secrets' }));
    },
  );
});
