import type { ElicitationAnswer, ElicitationRequest } from '../control/elicitation.ts';
import type { CliRequest } from '../control/router.ts';
import type { CallbackReply, PendingCallback } from '../hooks/callback-events.ts';
import type { HookDispatcher } from '../hooks/dispatch.ts';
import type { PermissionDispatcher } from '../permissions/dispatch.ts';
import type { InContext } from '../timing/caller.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { controlError, successLine } from '../wire/control.ts';
import { encodeLine } from '../wire/encode.ts';
import type { JsonObject } from '../wire/kinds.ts';

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
  /** The async context of whoever is asked. */
  context(): InContext;
  /** Writes the line of an answer; a CLI that is gone does not need it any more. */
  write(line: string): void;
  /** Ends the turn, for a CLI that would go on after a stop. */
  interrupt(): void;
  /** Tells after each change whether the CLI waits for an answer. */
  awaited(awaited: boolean): void;
  warn(warning: Warning): void;
}

/** A request that a caller's function is at. */
interface Serving {
  readonly controller: AbortController;
  /** Answers in its place; absent where somebody else sees to that. */
  readonly giveUp: (() => void) | undefined;
}

/** Answers what the CLI asks: exactly once each, also while the session starts and while it stops. */
export class Callbacks {
  private readonly around: CallbackSurroundings;
  /** Requests that are neither hooks nor permissions. */
  private readonly others = new Map<string, Serving>();
  private undecided = 0;
  private stopped = false;

  constructor(around: CallbackSurroundings) {
    this.around = around;
  }

  /** How many requests are unanswered. */
  get open(): number {
    return this.undecided + this.others.size;
  }

  get pending(): readonly PendingCallback[] {
    return [...this.around.hooks.pending, ...this.around.permissions.pending];
  }

  handle({ request_id: id, request }: CliRequest, at: number): void {
    const { subtype } = request;
    if (subtype === 'hook_callback') this.reply(id, this.around.hooks.handle(id, request, at));
    else if (subtype === 'can_use_tool') this.permission(id, request, at);
    else if (subtype === 'mcp_message') this.tool(id, request);
    else if (subtype === 'elicitation') this.elicit(id, request);
    else this.unknown(id, subtype, request);
    this.around.awaited(this.open > 0);
  }

  /** Refuses the prompts that hooks are thinking about. False when there are none. */
  refusePrompts(): boolean {
    return this.around.hooks.refusePrompts();
  }

  /** The CLI does not want the answer any more. */
  cancel(id: string): void {
    if (this.around.hooks.cancel(id) || this.around.permissions.cancel(id)) return;
    const serving = this.others.get(id);
    if (!serving) return;
    this.others.delete(id);
    serving.controller.abort();
    this.around.awaited(this.open > 0);
  }

  /** Answers everything at once, now and from now on; resolves when the answers are written. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.around.hooks.stop();
    this.around.permissions.stop();
    this.around.tools?.stop();
    for (const [id, { controller, giveUp }] of this.others) {
      if (giveUp) this.others.delete(id);
      giveUp?.();
      controller.abort();
    }
    // Every answer is there by now, but some only as promises.
    await new Promise((resolve) => setImmediate(resolve));
  }

  private permission(id: string, request: JsonObject, at: number): void {
    this.reply(id, this.around.permissions.handle({ requestId: id, request, arrivedAt: at }));
  }

  /** The answer is often there at once, and then no promise is made for it. */
  private reply(id: string, reply: CallbackReply | Promise<CallbackReply>): void {
    if (!(reply instanceof Promise)) {
      this.send(id, reply);
      return;
    }
    this.undecided++;
    void reply.then((settled) => {
      this.undecided--;
      this.send(id, settled);
      this.around.awaited(this.open > 0);
    });
  }

  private send(id: string, reply: CallbackReply): void {
    if (reply.kind === 'none') return;
    // The interrupt goes first: after the answer the CLI would already ask the model again.
    if (reply.interrupt) this.around.interrupt();
    this.around.write(successLine(id, reply.response));
  }

  private tool(id: string, request: JsonObject): void {
    const { tools } = this.around;
    const server = text(request.server_name);
    if (!tools) {
      const missing = { code: -32_601, message: `There is no tool server ${JSON.stringify(server)}.` };
      this.around.write(
        successLine(id, { mcp_response: { jsonrpc: '2.0', id: rpcId(request.message), error: missing } }),
      );
      return;
    }
    const run = async (signal: AbortSignal): Promise<object> => ({
      mcp_response: await tools.handle(server, request.message, signal),
    });
    // A server that is stopped answers by itself.
    void this.serve(id, run, (answer) => this.around.write(successLine(id, objectOr(answer, {}))), {
      giveUp: false,
    });
  }

  private elicit(id: string, request: JsonObject): void {
    const { onElicitation, context, write } = this.around;
    const declined: ElicitationAnswer = { action: 'decline' };
    const reply = (answer: unknown): void => write(successLine(id, objectOr(answer, declined)));
    if (!onElicitation || this.stopped) return reply(undefined);
    const asked: ElicitationRequest = {
      ...request,
      id,
      mcpServer: text(request.mcp_server_name),
      message: text(request.message),
    };
    void this.serve(id, async (signal) => context()(onElicitation, undefined, asked, signal), reply);
  }

  private unknown(id: string, subtype: string, request: JsonObject): void {
    const { onControlRequest, context, write } = this.around;
    const refused = controlError(id, `Unsupported control request subtype: ${subtype}`, 'unsupported_request');
    const reply = (answer: unknown): void =>
      write(typeof answer === 'object' && answer !== null ? successLine(id, answer) : encodeLine(refused));
    if (!onControlRequest || this.stopped) return reply(undefined);
    void this.serve(id, async (signal) => context()(onControlRequest, undefined, request, signal), reply);
  }

  /** Runs a function of the caller; `reply` makes an answer also of what is none. */
  private async serve(
    id: string,
    run: (signal: AbortSignal) => Promise<unknown>,
    reply: (answer: unknown) => void,
    { giveUp = true }: { giveUp?: boolean } = {},
  ): Promise<void> {
    const controller = new AbortController();
    const serving: Serving = { controller, giveUp: giveUp ? () => reply(undefined) : undefined };
    this.others.set(id, serving);
    let answer: unknown;
    try {
      answer = await run(controller.signal);
    } catch (error) {
      this.around.warn(callbackFailed(id, error));
    }
    if (this.others.get(id) !== serving) return;
    this.others.delete(id);
    try {
      reply(answer);
    } catch (error) {
      // JSON cannot hold it.
      this.around.warn(callbackFailed(id, error));
      reply(undefined);
    }
    this.around.awaited(this.open > 0);
  }
}

function objectOr(answer: unknown, otherwise: object): object {
  return typeof answer === 'object' && answer !== null ? answer : otherwise;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function rpcId(message: unknown): unknown {
  return typeof message === 'object' && message !== null ? (Reflect.get(message, 'id') ?? null) : null;
}

function callbackFailed(id: string, error: unknown): Warning {
  const message = error instanceof Error ? error.message : String(error);
  return warning('callback-failed', `A callback for the CLI's request failed: ${message}`, { id, message });
}
