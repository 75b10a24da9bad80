import type { ElicitationAnswer, ElicitationRequest } from '../control/elicitation.ts';
import type { CallbackReply, PendingCallback } from '../hooks/callback-events.ts';
import type { HookDispatcher } from '../hooks/dispatch.ts';
import type { HookFacts } from '../hooks/encode.ts';
import type { PermissionDispatcher } from '../permissions/dispatch.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { controlError, controlSuccess } from '../wire/control.ts';

/** The in-process tool servers, as far as the CLI's requests go. */
export interface ToolHost {
  /** The JSON-RPC reply to a message of the CLI. Never rejects. */
  handle(server: string, message: unknown, signal: AbortSignal): Promise<object>;
  stop(): void;
}

/** What answering the CLI needs. */
export interface CallbackSurroundings {
  readonly hooks: HookDispatcher;
  readonly permissions: PermissionDispatcher;
  readonly tools: ToolHost | undefined;
  readonly onElicitation: ((request: ElicitationRequest, signal: AbortSignal) => unknown) | undefined;
  readonly onControlRequest: ((request: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown) | undefined;
  hookFacts(): HookFacts;
  inContext<T>(run: () => T): T;
  /** Writes an answer; a CLI that is gone does not need it any more. */
  send(frame: object): void;
  /** Ends the turn, for a CLI that would go on after a stop. */
  interrupt(): void;
  warn(warning: Warning): void;
}

type Handler = (id: string, request: Readonly<Record<string, unknown>>, at: number) => void;

/** Answers what the CLI asks: exactly once each, also while the session starts and while it stops. */
export class Callbacks {
  readonly #around: CallbackSurroundings;
  /** Requests that are neither hooks nor permissions. */
  readonly #others = new Map<string, AbortController>();
  readonly #handlers: Readonly<Record<string, Handler>>;
  #open = 0;
  #stopped = false;

  constructor(around: CallbackSurroundings) {
    this.#around = around;
    this.#handlers = {
      hook_callback: (id, request, at) => this.#hook(id, request, at),
      can_use_tool: (id, request, at) => this.#permission(id, request, at),
      mcp_message: (id, request) => this.#tool(id, request),
      elicitation: (id, request) => this.#elicit(id, request),
    };
  }

  /** How many requests are unanswered. */
  get open(): number {
    return this.#open;
  }

  get pending(): readonly PendingCallback[] {
    return [...this.#around.hooks.pending, ...this.#around.permissions.pending];
  }

  handle(id: string, subtype: string, request: object, at: number): void {
    const fields = { ...request };
    const handler = Object.hasOwn(this.#handlers, subtype) ? this.#handlers[subtype] : undefined;
    if (handler) handler(id, fields, at);
    else this.#unknown(id, subtype, fields);
  }

  /** The CLI does not want the answer any more. */
  cancel(id: string): void {
    if (this.#around.hooks.cancel(id) || this.#around.permissions.cancel(id)) return;
    this.#others.get(id)?.abort();
    this.#others.delete(id);
  }

  /** Answers everything at once, now and from now on. */
  stop(): void {
    this.#stopped = true;
    this.#around.hooks.stop();
    this.#around.permissions.stop();
    this.#around.tools?.stop();
    for (const controller of this.#others.values()) controller.abort();
  }

  #hook(id: string, request: Readonly<Record<string, unknown>>, at: number): void {
    this.#reply(
      id,
      this.#around.hooks.handle(
        {
          requestId: id,
          callbackId: request.callback_id,
          input: request.input,
          toolUseId: request.tool_use_id,
          arrivedAt: at,
        },
        this.#around.hookFacts(),
      ),
    );
  }

  #permission(id: string, request: Readonly<Record<string, unknown>>, at: number): void {
    this.#reply(id, this.#around.permissions.handle({ requestId: id, request, arrivedAt: at }));
  }

  /** The answer is often there at once, and then no promise is made for it. */
  #reply(id: string, reply: CallbackReply | Promise<CallbackReply>): void {
    if (!(reply instanceof Promise)) {
      this.#send(id, reply);
      return;
    }
    this.#open++;
    void reply.then((settled) => {
      this.#open--;
      this.#send(id, settled);
    });
  }

  #send(id: string, reply: CallbackReply): void {
    if (reply.kind === 'none') return;
    // The interrupt goes first: after the answer the CLI would already ask the model again.
    if (reply.interrupt) this.#around.interrupt();
    this.#around.send(controlSuccess(id, reply.response));
  }

  #tool(id: string, request: Readonly<Record<string, unknown>>): void {
    const { tools } = this.#around;
    const server = typeof request.server_name === 'string' ? request.server_name : '';
    if (!tools) {
      const missing = { code: -32_601, message: `There is no tool server ${JSON.stringify(server)}.` };
      this.#around.send(
        controlSuccess(id, { mcp_response: { jsonrpc: '2.0', id: rpcId(request.message), error: missing } }),
      );
      return;
    }
    void this.#serve(id, async (signal) => ({ mcp_response: await tools.handle(server, request.message, signal) }), {});
  }

  #elicit(id: string, request: Readonly<Record<string, unknown>>): void {
    const { onElicitation, inContext } = this.#around;
    const declined: ElicitationAnswer = { action: 'decline' };
    if (!onElicitation || this.#stopped) {
      this.#around.send(controlSuccess(id, declined));
      return;
    }
    const asked: ElicitationRequest = {
      ...request,
      id,
      mcpServer: String(request.mcp_server_name ?? ''),
      message: String(request.message ?? ''),
    };
    void this.#serve(id, async (signal) => inContext(() => onElicitation(asked, signal)), declined);
  }

  #unknown(id: string, subtype: string, request: Readonly<Record<string, unknown>>): void {
    const { onControlRequest, inContext } = this.#around;
    const refuse = (): void =>
      this.#around.send(controlError(id, `Unsupported control request subtype: ${subtype}`, 'unsupported_request'));
    if (!onControlRequest || this.#stopped) {
      refuse();
      return;
    }
    void this.#serve(id, async (signal) => inContext(() => onControlRequest(request, signal)), undefined, refuse);
  }

  /** Runs a callback that answers with an object; anything else is answered with `otherwise`, or refused. */
  async #serve(
    id: string,
    run: (signal: AbortSignal) => Promise<unknown>,
    otherwise: object | undefined,
    refuse: () => void = () => {},
  ): Promise<void> {
    const controller = new AbortController();
    this.#others.set(id, controller);
    this.#open++;
    let answer: unknown;
    try {
      answer = await run(controller.signal);
    } catch (error) {
      this.#around.warn(callbackFailed(id, error));
    }
    this.#open--;
    if (!this.#others.delete(id)) return;
    const body = typeof answer === 'object' && answer !== null ? answer : otherwise;
    if (body) this.#around.send(controlSuccess(id, body));
    else refuse();
  }
}

function rpcId(message: unknown): unknown {
  return typeof message === 'object' && message !== null ? (Reflect.get(message, 'id') ?? null) : null;
}

function callbackFailed(id: string, error: unknown): Warning {
  const message = error instanceof Error ? error.message : String(error);
  return warning('callback-failed', `A callback for the CLI's request failed: ${message}`, { id, message });
}
