import type { ElicitationRequest } from '../control/elicitation.ts';
import type { CliRequest } from '../control/router.ts';
import { reasonOf } from '../errors/base.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { encodeLine, successLine } from '../wire/encode.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { CallbackAnswer, PendingCallback } from './callback-request.ts';
import { elicitationAnswer } from './elicitation-answer.ts';
import { type HookDeps, HookDispatcher } from './hook-dispatch.ts';
import { type PermissionDeps, PermissionDispatcher } from './permission-dispatch.ts';
import { ServedRequests, type Service, type ToolHost, toolMessage, unsupported } from './served-requests.ts';

/** What a session provides for answering the CLI's requests. */
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
  /** Called after each change; the argument is true while the CLI waits for an answer. */
  awaited(awaited: boolean): void;
}

/** Answers each of the CLI's control requests exactly once, even while the session starts or stops. */
export class CliRequestHandler {
  readonly hooks: HookDispatcher;
  readonly permissions: PermissionDispatcher;
  readonly #deps: InboundDeps;
  /** Requests other than hooks and permissions. */
  readonly #others: ServedRequests;
  #stopped = false;

  constructor(deps: InboundDeps) {
    this.#deps = deps;
    this.#others = new ServedRequests(deps.limits, () => this.#reportAwaited());
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

  /** `bytes` is the length of the line. */
  handle({ request_id: id, request }: CliRequest, arrivedAt: number, bytes = 0): void {
    const { subtype } = request;
    if (subtype === 'hook_callback') this.hooks.handle(id, request, arrivedAt, bytes);
    else if (subtype === 'can_use_tool') this.permissions.handle(id, request, arrivedAt, bytes);
    else if (subtype === 'mcp_message') this.#toolMessage(id, request, bytes);
    else if (subtype === 'elicitation') this.#elicitation(id, request, bytes);
    else this.#unknown(id, request, bytes);
    this.#reportAwaited();
  }

  /** Handles a `control_cancel_request`: the callback is aborted and the request is not answered. */
  cancel(id: string): void {
    if (this.hooks.cancel(id) || this.permissions.cancel(id)) return;
    this.#others.cancel(id);
  }

  /** Answers every pending and future request immediately. Resolves when the answers are written. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.hooks.stop();
    this.permissions.stop();
    this.#deps.tools?.stop();
    this.#others.stop();
    // Tool servers answer asynchronously.
    if (this.open > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  #settled(id: string, answer: CallbackAnswer | undefined): void {
    // Interrupt first: after the answer the CLI would call the model again.
    if (answer?.interrupt) this.#deps.interrupt();
    if (answer) this.#deps.write(successLine(id, answer.response));
    this.#reportAwaited();
  }

  #reportAwaited(): void {
    this.#deps.awaited(this.open > 0);
  }

  #toolMessage(id: string, request: JsonObject, bytes: number): void {
    const reply = (answer: object): void => this.#deps.write(successLine(id, answer));
    void this.#others.serve(id, toolMessage(request, this.#deps.tools, reply), bytes, (answer) => this.#refuse(answer));
  }

  #elicitation(id: string, request: JsonObject, bytes: number): void {
    const { onElicitation, context, write } = this.#deps;
    const reply = (answer?: unknown): void => write(successLine(id, elicitationAnswer(answer)));
    if (!onElicitation || this.#stopped) return reply();
    const asked: ElicitationRequest = {
      ...request,
      id,
      mcpServer: text(request.mcp_server_name),
      message: text(request.message),
    };
    this.#serve({ id, bytes }, async (signal) => context()(onElicitation, undefined, asked, signal), reply);
  }

  #unknown(id: string, request: CliRequest['request'], bytes: number): void {
    const { onControlRequest, context, write } = this.#deps;
    const refused = unsupported(id, request.subtype);
    const reply = (answer?: unknown): void =>
      write(typeof answer === 'object' && answer !== null ? successLine(id, answer) : encodeLine(refused));
    if (!onControlRequest || this.#stopped) return reply();
    this.#serve({ id, bytes }, async (signal) => context()(onControlRequest, undefined, request, signal), reply);
  }

  /** Runs a user callback and replies with its result, or with the default if the result is unusable. */
  #serve(
    { id, bytes }: { readonly id: string; readonly bytes: number },
    run: (signal: AbortSignal) => Promise<unknown>,
    reply: (answer?: unknown) => void,
  ): void {
    const service: Service = {
      run,
      done: (answer) => reply(answer),
      failed: (error) => {
        this.#deps.warn(callbackFailed(id, error));
        reply();
      },
      giveUp: () => reply(),
    };
    void this.#others.serve(id, service, bytes, (answer) => this.#refuse(answer));
  }

  #refuse(answer: object): void {
    this.#deps.write(encodeLine(answer));
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function callbackFailed(id: string, error: unknown): Warning {
  const message = reasonOf(error);
  return warning('callback-failed', `A callback for the CLI's request failed: ${message}`, { id, message });
}
