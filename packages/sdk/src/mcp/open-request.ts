import { reasonOf } from '../options/report.ts';
import { failure, type JsonRpcReply, type JsonRpcRequest, rpcCode } from './json-rpc.ts';

/** How a request ended. */
export type RequestEnd = 'ok' | 'error' | 'cancelled' | 'timeout' | 'stopped';

/** Why a request ended without a reply of the server. */
export interface GivenUp {
  readonly end: Exclude<RequestEnd, 'ok'>;
  readonly code: number;
  readonly reason: string;
}

/** A request of the CLI that a server has not replied to yet; the first end counts. */
export class OpenRequest {
  readonly message: JsonRpcRequest;
  /** Never rejects. */
  readonly reply: Promise<JsonRpcReply>;
  readonly #startedAt = performance.now();
  readonly #onEnd: (end: RequestEnd, ms: number) => void;
  readonly #release: () => void;
  #resolve: (reply: JsonRpcReply) => void = () => {};

  constructor(
    message: JsonRpcRequest,
    rule: {
      /** 0 is no limit. */
      readonly ms: number;
      readonly signal: AbortSignal | undefined;
      giveUp(why: GivenUp): void;
      onEnd(end: RequestEnd, ms: number): void;
    },
  ) {
    const { ms, signal } = rule;
    this.message = message;
    this.#onEnd = rule.onEnd;
    this.reply = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const withdraw = (): void =>
      rule.giveUp({ end: 'cancelled', code: rpcCode.cancelled, reason: 'The request was withdrawn.' });
    signal?.addEventListener('abort', withdraw, { once: true });
    const late = (): void =>
      rule.giveUp({ end: 'timeout', code: rpcCode.timeout, reason: `no reply to ${message.method} within ${ms} ms` });
    // Does not keep the process alive: only the CLI waits for the reply.
    const timer = ms > 0 ? setTimeout(late, ms).unref() : undefined;
    this.#release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', withdraw);
    };
  }

  /** Resolves with the server's reply, under the CLI's id; returns a problem if the reply cannot be written. */
  answer(reply: JsonRpcReply): string | undefined {
    const { id } = this.message;
    const problem = unwritable(reply);
    const own = problem === undefined ? { ...reply, id } : failure(id, rpcCode.internal, `The reply ${problem}.`);
    const failed = 'error' in own || ('isError' in own.result && own.result.isError === true);
    this.#finish(own, failed ? 'error' : 'ok');
    return problem;
  }

  /** Resolves with an error in place of the server's reply. */
  fail({ end, code, reason }: GivenUp): void {
    this.#finish(failure(this.message.id, code, reason), end);
  }

  #finish(reply: JsonRpcReply, end: RequestEnd): void {
    this.#release();
    this.#resolve(reply);
    this.#onEnd(end, Math.round(performance.now() - this.#startedAt));
  }
}

/** A handler may return anything; a reply that cannot be written would leave the CLI without one. */
function unwritable(reply: JsonRpcReply): string | undefined {
  try {
    JSON.stringify(reply);
    return undefined;
  } catch (error) {
    // The other lines of the message draw the circular reference.
    return `cannot be written as JSON: ${reasonOf(error).split('\n')[0]}`;
  }
}
