import { NodeTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-node';

/** A tracer that keeps its spans in memory, and draws them as a tree. */
export interface TraceRecorder {
  readonly tracerProvider: NodeTracerProvider;
  /** In the order of their start. */
  spans(): readonly ReadableSpan[];
  /** One line for each span, indented below its parent; `note` may add to it. */
  tree(note?: (span: ReadableSpan) => string): string[];
}

/** Also keeps the active context, so that spans find their parents. */
export function recordTraces(): TraceRecorder {
  const started: ReadableSpan[] = [];
  const keeper: SpanProcessor = {
    onStart: (span) => void started.push(span),
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [keeper] });
  tracerProvider.register();
  const spans = (): readonly ReadableSpan[] => started.filter(({ ended }) => ended);
  return { tracerProvider, spans, tree: (note = () => '') => linesBelow(undefined, spans(), note) };
}

function linesBelow(
  parent: ReadableSpan | undefined,
  spans: readonly ReadableSpan[],
  note: (span: ReadableSpan) => string,
): string[] {
  return spans
    .filter(({ parentSpanContext: above }) => above?.spanId === parent?.spanContext().spanId)
    .flatMap((span) => [
      `${span.name} ${note(span)}`.trimEnd(),
      ...linesBelow(span, spans, note).map((line) => `  ${line}`),
    ]);
}

/** A time of OpenTelemetry in milliseconds. */
export function msOf([seconds, nanos]: readonly [number, number]): number {
  return seconds * 1_000 + nanos / 1_000_000;
}
