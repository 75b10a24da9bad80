import { createRequire } from 'node:module';
import { OptionsError } from 'coxswain/errors';
import type { Approval, PushSubscriber } from '../api.ts';
import { badRequest } from '../refusal.ts';
import { fieldsOf } from '../transcript/fields.ts';
import { noticeOf } from './notice.ts';
import { type PushState, readPushFile, subscriberIn, writePushFile } from './push-file.ts';
import { isPushService } from './push-service.ts';

/** How notifications are sent to browsers whose page is closed. */
export interface PushOptions {
  /** Whom a push service can ask about the messages: `mailto:ops@example.com`, or an address with https. */
  readonly subject: string;
  /** The file with the keys of the server and the subscribed browsers. It is created, and only this user can read it. */
  readonly file: string;
  /** Further push services, as hosts, with the port unless it is 443. Those of the usual browsers are known. */
  readonly services?: readonly string[] | undefined;
}

/** Most browsers, and how long a message is tried and kept. */
const LIMITS = { subscribers: 50, timeoutMs: 10_000, keptS: 3_600 };

/** The part of `web-push` that is used. */
interface WebPush {
  generateVAPIDKeys(): PushState['keys'];
  sendNotification(subscriber: PushSubscriber, payload: string, options: object): Promise<unknown>;
}

/** Sends notifications of requests to the browsers that have subscribed. */
export class Pusher {
  readonly #webPush: WebPush;
  readonly #options: PushOptions;
  readonly #onError: (error: unknown) => void;
  #state: PushState;
  /** Writes follow each other. */
  #written: Promise<void> = Promise.resolve();

  private constructor(webPush: WebPush, options: PushOptions, state: PushState, onError: (error: unknown) => void) {
    this.#webPush = webPush;
    this.#options = options;
    this.#state = state;
    this.#onError = onError;
  }

  /** @throws OptionsError if the package `web-push` is missing, or the file cannot be used */
  static async open(options: PushOptions, onError: (error: unknown) => void): Promise<Pusher> {
    const webPush = loadWebPush();
    try {
      const state = (await readPushFile(options.file)) ?? { keys: webPush.generateVAPIDKeys(), subscribers: [] };
      await writePushFile(options.file, state);
      return new Pusher(webPush, options, state, onError);
    } catch (error) {
      const message = `cannot be used: ${error instanceof Error ? error.message : String(error)}`;
      throw new OptionsError([{ path: 'push.file', message }]);
    }
  }

  get publicKey(): string {
    return this.#state.keys.publicKey;
  }

  /** Adds a browser, or replaces its subscription; the oldest one makes room. @throws Refusal */
  async subscribe(body: unknown): Promise<void> {
    const [subscriber] = subscriberIn(body);
    if (subscriber === undefined) throw badRequest('a subscription needs an endpoint and its keys');
    if (!isPushService(subscriber.endpoint, this.#options.services))
      throw badRequest('the endpoint belongs to no known push service; add its host to push.services');
    const others = this.#state.subscribers.filter(({ endpoint }) => endpoint !== subscriber.endpoint);
    await this.#keep([...others, subscriber].slice(-LIMITS.subscribers));
  }

  async unsubscribe(endpoint: string): Promise<void> {
    await this.#keep(this.#state.subscribers.filter((one) => one.endpoint !== endpoint));
  }

  /** Sends a notification to all browsers. Never rejects. */
  async announce(approval: Approval): Promise<void> {
    const payload = JSON.stringify(noticeOf(approval));
    const sent = this.#state.subscribers.map((subscriber) => this.#send(subscriber, payload));
    await Promise.all(sent).catch(this.#onError);
  }

  async #send(subscriber: PushSubscriber, payload: string): Promise<void> {
    const vapidDetails = { subject: this.#options.subject, ...this.#state.keys };
    const how = { vapidDetails, timeout: LIMITS.timeoutMs, TTL: LIMITS.keptS, urgency: 'high' };
    try {
      await this.#webPush.sendNotification(subscriber, payload, how);
    } catch (error) {
      // The browser has unsubscribed.
      const { statusCode } = fieldsOf(error);
      if (statusCode === 404 || statusCode === 410) await this.unsubscribe(subscriber.endpoint);
      else this.#onError(error);
    }
  }

  #keep(subscribers: readonly PushSubscriber[]): Promise<void> {
    this.#state = { ...this.#state, subscribers };
    const write = (): Promise<void> => writePushFile(this.#options.file, this.#state);
    this.#written = this.#written.then(write, write);
    return this.#written;
  }
}

/** @throws OptionsError */
function loadWebPush(): WebPush {
  try {
    // A CommonJS package without types, which is loaded only if it is needed.
    return createRequire(import.meta.url)('web-push') as WebPush;
  } catch {
    throw new OptionsError([{ path: 'push', message: 'needs the package web-push: npm install web-push' }]);
  }
}
