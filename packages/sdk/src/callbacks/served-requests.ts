import type { Limits } from '../limits.ts';
import { controlError } from '../wire/encode.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { OpenRequests } from './open-requests.ts';

/** The in-process tool servers. */
export interface ToolHost {
  /** The JSON-RPC reply to a message of the CLI. Never rejects. */
  handle(server: string, message: unknown, signal: AbortSignal): Promise<object>;
  stop(): void;
}

export interface Service {
  run(signal: AbortSignal): unknown;
  /** Called once, unless the request is cancelled. It may throw if the answer cannot be written as JSON. */
  done(answer: unknown): void;
  /** Called instead of `done` if `run` or `done` threw. */
  failed(error: unknown): void;
  /** Answers instead of `run` when the session stops; without it the request stays open until `run` is done. */
  giveUp?(): void;
}

/** The CLI's requests that callbacks are serving, by id; each ends once. */
export class ServedRequests {
  readonly #serving = new Map<string, { readonly controller: AbortController; readonly service: Service }>();
  readonly #open: OpenRequests;
  readonly #changed: () => void;

  constructor(limits: Pick<Limits, 'maxOpenRequests' | 'backlogBytes'>, changed: () => void) {
    this.#open = new OpenRequests(limits.maxOpenRequests, limits.backlogBytes);
    this.#changed = changed;
  }

  get size(): number {
    return this.#serving.size;
  }

  /**
   * Runs a service and forwards its result; refuses the request if too many are open. `bytes` is the length of its line.
   * Never rejects.
   */
  async serve(id: string, service: Service, bytes: number, refuse: (answer: object) => void): Promise<void> {
    // The CLI does not use an id twice.
    if (this.#serving.has(id)) return;
    if (!this.#open.admit(id, bytes)) return refuse(tooMany(id));
    const controller = new AbortController();
    const serving = { controller, service };
    this.#serving.set(id, serving);
    let finish: () => void;
    try {
      const answer = await service.run(controller.signal);
      finish = () => service.done(answer);
    } catch (error) {
      finish = () => service.failed(error);
    }
    if (this.#serving.get(id) !== serving) return;
    this.#end(id);
    try {
      finish();
    } catch (error) {
      service.failed(error);
    }
    this.#changed();
  }

  /** Aborts a request without an answer. */
  cancel(id: string): void {
    const serving = this.#serving.get(id);
    if (!serving) return;
    this.#end(id);
    serving.controller.abort();
    this.#changed();
  }

  /** Aborts all requests, and answers those whose service allows it. */
  stop(): void {
    for (const [id, { controller, service }] of this.#serving) {
      if (service.giveUp) this.#end(id);
      service.giveUp?.();
      controller.abort();
    }
  }

  #end(id: string): void {
    this.#serving.delete(id);
    this.#open.release(id);
  }
}

/** The service of an `mcp_message`. A stopped tool server answers its pending calls itself. */
export function toolMessage(
  { server_name: name, message }: JsonObject,
  tools: ToolHost | undefined,
  reply: (answer: object) => void,
): Service {
  const server = typeof name === 'string' ? name : '';
  const run = async (signal: AbortSignal): Promise<object> => {
    if (tools) return tools.handle(server, message, signal);
    const error = { code: -32_601, message: `There is no tool server ${JSON.stringify(server)}.` };
    return { jsonrpc: '2.0', id: (isJsonObject(message) ? message.id : undefined) ?? null, error };
  };
  return {
    run,
    done: (answer) => reply({ mcp_response: answer }),
    failed: () => reply({}),
  };
}

function tooMany(id: string): object {
  return controlError(id, 'Too many requests are unanswered.', 'too_many_requests');
}

/** The answer to a request with an unsupported subtype. */
export function unsupported(id: string, subtype: string): object {
  return controlError(id, `Unsupported control request subtype: ${subtype}`, 'unsupported_request');
}
