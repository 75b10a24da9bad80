import { type Attributes, type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Content } from './content.ts';
import type { Instruments } from './instruments.ts';
import { attributeNames as names } from './names.ts';
import { OpenSpan } from './open-span.ts';

/** What the spans of one run have in common. */
export class RunScope {
  readonly instruments: Instruments;
  readonly content: Content;
  /** Known from the start, or as soon as the CLI reports it. */
  conversation: string | undefined;
  readonly #tracer: Tracer;
  readonly #attributes: Attributes;

  constructor(tracer: Tracer, instruments: Instruments, content: Content, attributes: Attributes) {
    this.#tracer = tracer;
    this.instruments = instruments;
    this.content = content;
    this.#attributes = attributes;
  }

  /** Starts a span. Names of the GenAI conventions are `operation subject`. */
  span(
    name: string,
    parent: Context,
    at: number,
    attributes: Attributes,
    kind: SpanKind = SpanKind.INTERNAL,
  ): OpenSpan {
    const conversation = this.conversation === undefined ? {} : { [names.conversation]: this.conversation };
    return new OpenSpan(this.#tracer, name, {
      parent,
      at,
      kind,
      attributes: { ...this.#attributes, ...conversation, ...attributes },
    });
  }
}
