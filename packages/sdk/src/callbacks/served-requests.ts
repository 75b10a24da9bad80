import { controlError } from '../wire/encode.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

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
  /** Called in place of `done` when `run` or `done` threw. */
  failed(error: unknown): void;
  /** Answers in place of `run` when the session stops; without it the request stays open until `run` is done. */
  giveUp?(): void;
}

/** The requests of the CLI that callbacks are serving, by id: each ends once. */
export class ServedRequests {
  readonly #serving = new Map<string, { readonly controller: AbortController; readonly service: Service }>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#serving.size;
  }

  /** Runs a service and passes on what it returns. Never rejects. */
  async serve(id: string, service: Service): Promise<void> {
    const controller = new AbortController();
    const serving = { controller, service };
    this.#serving.set(id, serving);
    const running = (async () => service.run(controller.signal))();
    const finish = await running.then(
      (answer) => () => service.done(answer),
      (error: unknown) => () => service.failed(error),
    );
    if (this.#serving.get(id) !== serving) return;
    this.#serving.delete(id);
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
    this.#serving.delete(id);
    serving.controller.abort();
    this.#changed();
  }

  /** Aborts all requests; those that can be given up are answered. */
  stop(): void {
    for (const [id, { controller, service }] of this.#serving) {
      if (service.giveUp) this.#serving.delete(id);
      service.giveUp?.();
      controller.abort();
    }
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

/** The answer to a request of a kind that nothing handles. */
export function unsupported(id: string, subtype: string): object {
  return controlError(id, `Unsupported control request subtype: ${subtype}`, 'unsupported_request');
}
