import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';

/** A tracer that keeps its spans in memory, and draws them as a tree. */
export interface TraceRecorder {
  readonly tracerProvider: NodeTracerProvider;
  spans(): readonly ReadableSpan[];
  /** One line for each span, indented below its parent; `note` may add to it. */
  tree(note?: (span: ReadableSpan) => string): string[];
}

/** Also keeps the active context, so that spans find their parents. */
export function recordTraces(): TraceRecorder {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  tracerProvider.register();
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return { tracerProvider, spans, tree: (note = () => '') => linesBelow(undefined, spans(), note) };
}

function linesBelow(
  parent: ReadableSpan | undefined,
  spans: readonly ReadableSpan[],
  note: (span: ReadableSpan) => string,
): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const children = spans.filter(({ parentSpanContext: above }) => {
    const known = above && ids.has(above.spanId) ? above.spanId : undefined;
    return known === parent?.spanContext().spanId;
  });
  return [...children]
    .sort((a, b) => msOf(a.startTime) - msOf(b.startTime) || msOf(a.endTime) - msOf(b.endTime))
    .flatMap((span) => [
      `${span.name} ${note(span)}`.trimEnd(),
      ...linesBelow(span, spans, note).map((line) => `  ${line}`),
    ]);
}

/** A time of OpenTelemetry in milliseconds. */
export function msOf([seconds, nanos]: readonly [number, number]): number {
  return seconds * 1_000 + nanos / 1_000_000;
}
