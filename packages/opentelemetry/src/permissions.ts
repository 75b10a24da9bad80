import type { Context } from '@opentelemetry/api';
import type { PermissionRequest, RunEvent } from 'coxswain';
import { attributeNames as names, spanNames } from './names.ts';
import type { OpenSpan } from './open-span.ts';
import type { RunScope } from './scope.ts';

/** Decisions of Coxswain when no usable answer arrived in time. */
const UNDECIDED: ReadonlySet<string> = new Set([
  ...['throw', 'bad-result', 'malformed-request', 'timeout', 'no-callback', 'cancelled', 'session-stop'],
]);

/** The permission requests of one run. */
export class Permissions {
  readonly #scope: RunScope;
  readonly #open = new Map<string, { readonly span: OpenSpan; later: boolean }>();

  constructor(scope: RunScope) {
    this.#scope = scope;
  }

  requested(request: Pick<PermissionRequest, 'id' | 'toolName' | 'toolUseId'>, parent: Context, at: number): void {
    if (this.#open.has(request.id)) return;
    const span = this.#scope.span(spanNames.permission, parent, at, {
      [names.tool]: request.toolName,
      ...(request.toolUseId !== undefined && { [names.toolCall]: request.toolUseId }),
    });
    this.#open.set(request.id, { span, later: false });
  }

  /** Called when `canUseTool` returns, possibly with the decision deferred to `answerPermission`. */
  called({ id, decision }: Extract<RunEvent, { type: 'callback-ended' }>): void {
    const open = this.#open.get(id);
    if (open && decision === 'decideLater') open.later = true;
  }

  answered({ id, tool, decision, ms, at }: Extract<RunEvent, { type: 'permission-answered' }>): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    const by = UNDECIDED.has(decision) ? 'coxswain' : open?.later ? 'answerPermission' : 'canUseTool';
    open?.span.set({ [names.decision]: decision, [names.decidedBy]: by });
    open?.span.end(at);
    this.#scope.instruments.record('permission', ms / 1_000, { [names.tool]: tool, [names.decision]: decision });
  }

  /** Ends all requests: the CLI has exited. */
  end(at: number): void {
    for (const { span } of this.#open.values()) span.end(at, 'cut-off');
    this.#open.clear();
  }
}
