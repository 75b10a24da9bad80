import { reasonOf } from '../options/report.ts';
import { failure, type JsonRpcReply, type JsonRpcRequest, rpcCode } from './json-rpc.ts';

/** How a request came to its end. */
export type RequestEnd = 'ok' | 'error' | 'cancelled' | 'timeout' | 'stopped';

/** Why a request is given up before its answer. */
export interface GivenUp {
  readonly end: Exclude<RequestEnd, 'ok'>;
  readonly code: number;
  readonly reason: string;
}

/** A request of the CLI that a server has not answered yet; the first end wins. */
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
      /** 0 is as long as it takes. */
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
      rule.giveUp({ end: 'timeout', code: rpcCode.timeout, reason: `no answer to ${message.method} within ${ms} ms` });
    // Only the CLI waits for the answer: the host may leave before.
    const timer = ms > 0 ? setTimeout(late, ms).unref() : undefined;
    this.#release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', withdraw);
    };
  }

  /** Passes the server's answer on under the CLI's own id; gives back why it cannot be, when it cannot. */
  answer(reply: JsonRpcReply): string | undefined {
    const { id } = this.message;
    const problem = unwritable(reply);
    const own = problem === undefined ? { ...reply, id } : failure(id, rpcCode.internal, `The answer ${problem}.`);
    const failed = 'error' in own || ('isError' in own.result && own.result.isError === true);
    this.#finish(own, failed ? 'error' : 'ok');
    return problem;
  }

  /** Answers in the server's place. */
  fail({ end, code, reason }: GivenUp): void {
    this.#finish(failure(this.message.id, code, reason), end);
  }

  #finish(reply: JsonRpcReply, end: RequestEnd): void {
    this.#release();
    this.#resolve(reply);
    this.#onEnd(end, Math.round(performance.now() - this.#startedAt));
  }
}

/** A handler may put anything into its result; what cannot be written would leave the CLI without an answer. */
function unwritable(reply: JsonRpcReply): string | undefined {
  try {
    JSON.stringify(reply);
    return undefined;
  } catch (error) {
    // The rest of the lines draws the circle.
    return `cannot be written as JSON: ${reasonOf(error).split('\n')[0]}`;
  }
}
