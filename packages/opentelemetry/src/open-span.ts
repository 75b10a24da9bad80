import {
  type Attributes,
  type Context,
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { attributeNames } from './names.ts';
import { quietly } from './quietly.ts';

/** The initial data of a span. */
export interface SpanStart {
  readonly parent: Context;
  /** In ms since the epoch, like all times here: the time at which the message arrived. */
  readonly at: number;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly links?: readonly SpanContext[];
}

/** A span that ends once. Exceptions of processors and exporters are ignored. */
export class OpenSpan {
  readonly context: Context;
  readonly startedAt: number;
  readonly #span: Span;
  #over = false;

  constructor(tracer: Tracer, name: string, { parent, at, kind, attributes, links = [] }: SpanStart) {
    const linked = links.map((context) => ({ context }));
    this.startedAt = at;
    this.#span =
      quietly(() => tracer.startSpan(name, { startTime: at, kind, attributes, links: linked }, parent)) ??
      trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    this.context = trace.setSpan(parent, this.#span);
  }

  get spanContext(): SpanContext {
    return this.#span.spanContext();
  }

  get over(): boolean {
    return this.#over;
  }

  set(attributes: Attributes): void {
    quietly(() => this.#span.setAttributes(attributes));
  }

  event(name: string, at: number, attributes: Attributes = {}): void {
    quietly(() => this.#span.addEvent(name, attributes, at));
  }

  link(context: SpanContext): void {
    quietly(() => this.#span.addLink({ context }));
  }

  /** Returns the duration in seconds; `undefined` if the span had already ended. */
  end(at: number, errorType?: string): number | undefined {
    if (this.#over) return undefined;
    this.#over = true;
    const endedAt = Math.max(at, this.startedAt);
    if (errorType !== undefined) {
      // Without a message, which could contain content.
      quietly(() => this.#span.setStatus({ code: SpanStatusCode.ERROR }));
      this.set({ [attributeNames.errorType]: errorType });
    }
    quietly(() => this.#span.end(endedAt));
    return (endedAt - this.startedAt) / 1_000;
  }
}
