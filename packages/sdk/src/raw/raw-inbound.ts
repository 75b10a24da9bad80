import { ServedRequests, type Service, type ToolHost, toolMessage, unsupported } from '../callbacks/served-requests.ts';
import type { CliRequest } from '../control/router.ts';
import { reasonOf } from '../errors/base.ts';
import type { Limits } from '../limits.ts';
import type { InContext } from '../timing/caller.ts';
import { controlError, encodeLine, successLine } from '../wire/encode.ts';
import type { RawSessionOptions } from './raw-session.ts';

export interface RawInboundDeps {
  readonly onRequest: RawSessionOptions['onRequest'];
  readonly tools: ToolHost;
  readonly limits: Pick<Limits, 'maxOpenRequests' | 'backlogBytes'>;
  /** The async context in which the session was opened. */
  readonly inContext: InContext;
  write(line: string): void;
}

/** Passes the requests of the CLI to the caller, and the caller's answers to the CLI, both unchanged. */
export class RawInbound {
  readonly #deps: RawInboundDeps;
  readonly #served: ServedRequests;
  #stopped = false;

  constructor(deps: RawInboundDeps) {
    this.#deps = deps;
    this.#served = new ServedRequests(deps.limits, () => {});
  }

  /** The number of unanswered requests. */
  get open(): number {
    return this.#served.size;
  }

  /** `bytes` is the length of the line. */
  handle({ request_id: id, request }: CliRequest, _arrivedAt: number, bytes: number): void {
    const { onRequest, tools, inContext, write } = this.#deps;
    const reply = (answer: object): void => write(successLine(id, answer));
    const tooMany = (answer: object): void => write(encodeLine(answer));
    if (request.subtype === 'mcp_message') {
      void this.#served.serve(id, toolMessage(request, tools, reply), bytes, tooMany);
      return;
    }
    // The CLI is being ended: an answer could make it continue.
    if (this.#stopped) return;
    const refuse = (): void => write(encodeLine(unsupported(id, request.subtype)));
    if (!onRequest) return refuse();
    const service: Service = {
      run: (signal) => inContext(onRequest, undefined, request, { id, signal }),
      done: (answer) => {
        if (this.#stopped || answer === null) return;
        if (typeof answer === 'object') reply(answer);
        else refuse();
      },
      failed: (error) => {
        if (!this.#stopped) write(encodeLine(controlError(id, reasonOf(error), 'callback_failed')));
      },
    };
    void this.#served.serve(id, service, bytes, tooMany);
  }

  cancel(id: string): void {
    this.#served.cancel(id);
  }

  /** Aborts the signals of all callbacks; their answers are no longer sent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#deps.tools.stop();
    this.#served.stop();
  }
}
