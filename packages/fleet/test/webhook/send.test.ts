import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@coxswain/fleet';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ApprovalNotice } from '../../src/approval/notice.ts';
import { webhookSender } from '../../src/webhook/send.ts';

const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`);
const notice = { type: 'approval.requested', timestamp: '2026-01-01T00:00:00.000Z', data: {} } as ApprovalNotice;
const never = new AbortController().signal;

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a webhook', () => {
  it('[F-34] is a signed POST that each of the secrets verifies', async () => {
    let received: { headers: Record<string, string | string[] | undefined>; body: string } | undefined;
    const url = await listening((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        received = { headers: request.headers, body };
        response.end();
      });
    });
    await webhookSender({ url, secrets })('n1', notice, new Date(), never);
    const { headers = {}, body = '' } = received ?? {};
    for (const secret of secrets) expect(verifyWebhook(headers, body, [secret])).toEqual({ id: 'n1', notice });
  });

  it('[F-34] has the time of the database: a receiver refuses that of a wrong clock', async () => {
    let headers: Record<string, string | string[] | undefined> = {};
    const url = await listening((request, response) => {
      headers = request.headers;
      response.end();
    });
    await webhookSender({ url, secrets })('n1', notice, new Date(1_700_000_000_500), never);
    expect(headers['webhook-timestamp']).toBe('1700000000');
  });

  it('[F-34] redirects are not followed, and every status but 2xx is a failure; 410 is final', async () => {
    const paths: string[] = [];
    const url = await listening(({ url: path = '' }, response) => {
      paths.push(path);
      response.writeHead(Number(path.slice(1)), { location: '/200' }).end();
    });
    const send = (status: number): Promise<void> =>
      webhookSender({ url: `${url}/${status}`, secrets })('n', notice, new Date(), never);
    for (const status of [301, 302, 307, 308, 400, 401, 404, 429, 500, 503])
      await expect(send(status)).rejects.toMatchObject({ message: `HTTP ${status}`, isFinal: false });
    await expect(send(410)).rejects.toMatchObject({ isFinal: true });
    await send(204);
    expect(paths).not.toContain('/200');
  });

  it('[F-34] a receiver that does not respond, or sends without end, holds nothing', async () => {
    const silent = await listening(() => {});
    await expect(
      webhookSender({ url: silent, secrets, timeoutMs: 50 })('n', notice, new Date(), never),
    ).rejects.toThrow('TimeoutError');
    let closed: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const endless = await listening((_request, response) => {
      response.on('close', closed);
      const write = (): void => {
        if (response.write('x'.repeat(65_536))) setImmediate(write);
        else response.once('drain', write);
      };
      write();
    });
    await webhookSender({ url: endless, secrets })('n', notice, new Date(), never);
    await ended;
  });

  it('[F-15, F-34] a failure names neither the address nor the secrets', async () => {
    const url = 'http://127.0.0.1:1/services/token-of-the-url';
    const error: unknown = await webhookSender({ url, secrets })('n', notice, new Date(), never).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ message: expect.stringMatching(/^[A-Za-z]+$/) });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/token-of-the-url|whsec/);
  });

  it.each<[string, object]>([
    ['url', { url: 'ftp://x' }],
    ['url', { url: 'x' }],
    ['url', { url: 5 }],
    ['url', { url: 'https://user:pass@x' }],
    ['secrets', { secrets: [] }],
    ['secrets', { secrets: ['whsec_short'] }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: 60_001 }],
    ['secret', { secret: 'x' }],
  ])('[F-16, F-34] wrong options are refused: %s (%#)', (field, given) => {
    const call = (): unknown => webhookSender({ url: 'https://x', secrets, ...given });
    expect(call).toThrow(expect.objectContaining({ code: 'fleet-input', field }));
  });
});
