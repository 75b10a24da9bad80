import type { ElicitationAnswer, ElicitationRequest } from '../control/elicitation.ts';
import type { CliRequest } from '../control/router.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { controlError, successLine } from '../wire/control.ts';
import { encodeLine } from '../wire/encode.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { CallbackAnswer, PendingCallback } from './callback-request.ts';
import { type HookDeps, HookDispatcher } from './hook-dispatch.ts';
import { type PermissionDeps, PermissionDispatcher } from './permission-dispatch.ts';

/** What answering the CLI's requests needs from a session. */
export interface InboundDeps
  extends Omit<HookDeps, 'settled' | 'limits' | 'report'>,
    Omit<PermissionDeps, 'settled' | 'limits'> {
  readonly limits: HookDeps['limits'] & PermissionDeps['limits'];
  readonly tools: ToolHost | undefined;
  readonly onElicitation: ((request: ElicitationRequest, signal: AbortSignal) => unknown) | undefined;
  readonly onControlRequest: ((request: JsonObject, signal: AbortSignal) => unknown) | undefined;
  /** Writes the line of an answer. Does nothing once the CLI has exited. */
  write(line: string): void;
  /** Interrupts the turn, for a CLI that would continue after the answer. */
  interrupt(): void;
  /** Called after each change with whether the CLI waits for an answer. */
  awaited(awaited: boolean): void;
}

/** The in-process tool servers. */
export interface ToolHost {
  /** The JSON-RPC reply to a message of the CLI. Never rejects. */
  handle(server: string, message: unknown, signal: AbortSignal): Promise<object>;
  stop(): void;
}

/** Answers the control requests of the CLI, each exactly once, also while the session starts and while it stops. */
export class InboundRequests {
  readonly hooks: HookDispatcher;
  readonly permissions: PermissionDispatcher;
  readonly #deps: InboundDeps;
  /** Requests that are neither hooks nor permissions. */
  readonly #others = new Map<string, Serving>();
  #stopped = false;

  constructor(deps: InboundDeps) {
    this.#deps = deps;
    const settled = (id: string, answer: CallbackAnswer | undefined): void => this.#settled(id, answer);
    this.hooks = new HookDispatcher({ ...deps, settled });
    this.permissions = new PermissionDispatcher({ ...deps, settled });
  }

  /** The number of unanswered requests. */
  get open(): number {
    return this.hooks.size + this.permissions.size + this.#others.size;
  }

  /** The unanswered hooks and permissions. */
  get pending(): readonly PendingCallback[] {
    return [...this.hooks.pending, ...this.permissions.pending];
  }

  handle({ request_id: id, request }: CliRequest, arrivedAt: number): void {
    const { subtype } = request;
    if (subtype === 'hook_callback') this.hooks.handle(id, request, arrivedAt);
    else if (subtype === 'can_use_tool') this.permissions.handle(id, request, arrivedAt);
    else if (subtype === 'mcp_message') this.#toolMessage(id, request);
    else if (subtype === 'elicitation') this.#elicitation(id, request);
    else this.#unknown(id, subtype, request);
    this.#deps.awaited(this.open > 0);
  }

  /** Handles a `control_cancel_request`: the callback is aborted and the request is not answered. */
  cancel(id: string): void {
    if (this.hooks.cancel(id) || this.permissions.cancel(id)) return;
    const serving = this.#others.get(id);
    if (!serving) return;
    this.#others.delete(id);
    serving.controller.abort();
    this.#deps.awaited(this.open > 0);
  }

  /** Answers every pending and future request at once. Resolves when the answers are written. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.hooks.stop();
    this.permissions.stop();
    this.#deps.tools?.stop();
    for (const [id, { controller, giveUp }] of this.#others) {
      if (giveUp) this.#others.delete(id);
      giveUp?.();
      controller.abort();
    }
    // Tool servers answer asynchronously.
    if (this.open > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  #settled(id: string, answer: CallbackAnswer | undefined): void {
    // The interrupt must come first: after the answer the CLI would already call the model again.
    if (answer?.interrupt) this.#deps.interrupt();
    if (answer) this.#deps.write(successLine(id, answer.response));
    this.#deps.awaited(this.open > 0);
  }

  #toolMessage(id: string, request: JsonObject): void {
    const { tools } = this.#deps;
    const server = text(request.server_name);
    const reply = (answer: object = {}): void => this.#deps.write(successLine(id, answer));
    if (!tools) {
      const error = { code: -32_601, message: `There is no tool server ${JSON.stringify(server)}.` };
      const rpcId = isJsonObject(request.message) ? request.message.id : null;
      return reply({ mcp_response: { jsonrpc: '2.0', id: rpcId ?? null, error } });
    }
    const run = async (signal: AbortSignal): Promise<object> => ({
      mcp_response: await tools.handle(server, request.message, signal),
    });
    // A stopped tool server answers its pending calls itself.
    void this.#serve(id, run, reply, false);
  }

  #elicitation(id: string, request: JsonObject): void {
    const { onElicitation, context, write } = this.#deps;
    const declined: ElicitationAnswer = { action: 'decline' };
    const reply = (answer: object = declined): void => write(successLine(id, answer));
    if (!onElicitation || this.#stopped) return reply();
    const asked: ElicitationRequest = {
      ...request,
      id,
      mcpServer: text(request.mcp_server_name),
      message: text(request.message),
    };
    void this.#serve(id, async (signal) => context()(onElicitation, undefined, asked, signal), reply);
  }

  #unknown(id: string, subtype: string, request: JsonObject): void {
    const { onControlRequest, context, write } = this.#deps;
    const refused = controlError(id, `Unsupported control request subtype: ${subtype}`, 'unsupported_request');
    const reply = (answer?: object): void => write(answer ? successLine(id, answer) : encodeLine(refused));
    if (!onControlRequest || this.#stopped) return reply();
    void this.#serve(id, async (signal) => context()(onControlRequest, undefined, request, signal), reply);
  }

  /** Runs a user callback and replies with the object it returns, or with the default. */
  async #serve(
    id: string,
    run: (signal: AbortSignal) => Promise<unknown>,
    reply: (answer?: object) => void,
    givesUp = true,
  ): Promise<void> {
    const controller = new AbortController();
    const serving: Serving = { controller, giveUp: givesUp ? () => reply() : undefined };
    this.#others.set(id, serving);
    let answer: unknown;
    try {
      answer = await run(controller.signal);
    } catch (error) {
      this.#deps.warn(callbackFailed(id, error));
    }
    if (this.#others.get(id) !== serving) return;
    this.#others.delete(id);
    try {
      reply(typeof answer === 'object' && answer !== null ? answer : undefined);
    } catch (error) {
      // The answer cannot be converted to JSON.
      this.#deps.warn(callbackFailed(id, error));
      reply();
    }
    this.#deps.awaited(this.open > 0);
  }
}

/** A request a user callback is handling. */
interface Serving {
  readonly controller: AbortController;
  /** Answers in place of the callback when the session stops. */
  readonly giveUp: (() => void) | undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function callbackFailed(id: string, error: unknown): Warning {
  const message = error instanceof Error ? error.message : String(error);
  return warning('callback-failed', `A callback for the CLI's request failed: ${message}`, { id, message });
}
