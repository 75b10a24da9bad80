import { execFileSync } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { PushSubscriber } from '../../src/api.ts';

/** A push service on this machine, with one browser. */
export interface PushService {
  /** Its host, for the option `services`. */
  readonly host: string;
  readonly subscriber: PushSubscriber;
  /** The decrypted messages so far. */
  readonly messages: unknown[];
  /** The status that the service answers. */
  status: number;
}

/** Starts a push service with a certificate of its own, which this process then accepts. */
export async function pushService(): Promise<PushService> {
  const folder = mkdtempSync(join(tmpdir(), 'push-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const browser = createECDH('prime256v1');
  const secret = randomBytes(16);
  const p256dh = browser.generateKeys('base64url');
  const messages: unknown[] = [];
  const service = {
    host: '',
    messages,
    status: 201,
    subscriber: { endpoint: '', keys: { p256dh, auth: secret.toString('base64url') } },
  };
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = decrypt(Buffer.concat(chunks), { version: 'aes128gcm', privateKey: browser, authSecret: secret });
      messages.push({
        authorization: String(request.headers.authorization).split(' ')[0],
        ...JSON.parse(String(text)),
      });
      response.writeHead(service.status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  service.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  service.subscriber.endpoint = `https://${service.host}/browser`;
  return service;
}

/** The decryption of `web-push`'s own dependency, which has no types. */
const { decrypt } = createRequire(import.meta.url)('http_ece') as { decrypt(body: Buffer, keys: object): Buffer };
