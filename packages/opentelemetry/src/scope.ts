import { type Attributes, type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Content } from './content.ts';
import type { Instruments } from './instruments.ts';
import { attributeNames as names } from './names.ts';
import { OpenSpan } from './open-span.ts';

/** The common data of the spans of one run. */
export class RunScope {
  readonly instruments: Instruments;
  readonly content: Content;
  /** Set at the start, or as soon as the CLI reports it. */
  conversation: string | undefined;
  readonly #tracer: Tracer;
  readonly #attributes: Attributes;

  constructor(tracer: Tracer, instruments: Instruments, content: Content, attributes: Attributes) {
    this.#tracer = tracer;
    this.instruments = instruments;
    this.content = content;
    this.#attributes = attributes;
  }

  /** Starts a span. In the GenAI conventions, names have the form `operation subject`. */
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
