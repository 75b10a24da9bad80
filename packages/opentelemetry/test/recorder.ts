import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type Span,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { TelemetryOptions } from '../src/index.ts';

/** Spans and metrics of one test. */
export interface Recorder {
  readonly options: Required<Pick<TelemetryOptions, 'tracerProvider' | 'meterProvider'>>;
  /** All ended spans, in the order of their start. */
  spans(): ReadableSpan[];
  /** The spans as an indented tree, each with its `error.type`. */
  tree(): string[];
  span(name: string): ReadableSpan;
  /** Number of spans that were started and have not ended. */
  open(): number;
  /** The values of a metric by the given attribute: the sums of counters, and the counts of histograms. */
  metric(name: string, by?: string): Promise<Record<string, number>>;
  /** Runs a function in a span of this name, as its caller. */
  as<R>(caller: string, run: () => R): R;
}

/** Installs a context manager, which tests need for the active context. */
export function withContextManager(): void {
  beforeAll(() => new NodeTracerProvider().register());
  afterAll(() => {
    for (const api of [trace, context, propagation]) api.disable();
  });
}

export function recorder(): Recorder {
  const exporter = new InMemorySpanExporter();
  const started: string[] = [];
  const counting = {
    onStart: (span: Span) => void started.push(span.spanContext().spanId),
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [counting, new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => meterProvider.shutdown());
  const placeOf = (span: ReadableSpan): number => started.indexOf(span.spanContext().spanId);
  const spans = (): ReadableSpan[] => [...exporter.getFinishedSpans()].sort((a, b) => placeOf(a) - placeOf(b));
  return {
    options: { tracerProvider, meterProvider },
    spans,
    tree: () => treeOf(spans()),
    span: (name) => {
      const found = spans().find((span) => span.name === name);
      if (found === undefined) throw new Error(`No span ${name}, but ${spans().map((span) => span.name)}`);
      return found;
    },
    open: () => started.length - exporter.getFinishedSpans().length,
    async metric(name, by) {
      metricExporter.reset();
      await reader.forceFlush();
      const metrics = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((s) => s.metrics));
      const points: DataPoint<number | Histogram>[] = metrics
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints as DataPoint<number | Histogram>[]); // Histograms and sums only.
      const sums: Record<string, number> = {};
      for (const { value, attributes } of points) {
        const key = by === undefined ? 'all' : String(attributes[by]);
        sums[key] = (sums[key] ?? 0) + (typeof value === 'number' ? value : value.count);
      }
      return sums;
    },
    as(caller, run) {
      return tracerProvider.getTracer('test').startActiveSpan(caller, (span) => {
        const end = (): void => span.end();
        const returned = run();
        if (returned instanceof Promise) void returned.then(end, end);
        else end();
        return returned;
      });
    },
  };
}

function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanContext: p }) => (p && ids.has(p.spanId) ? p.spanId : undefined) === parent)
      .flatMap((span) => [`${'  '.repeat(depth)}${labelOf(span)}`, ...below(span.spanContext().spanId, depth + 1)]);
  return below(undefined, 0);
}

function labelOf({ name, status, attributes }: ReadableSpan): string {
  return status.code === SpanStatusCode.ERROR ? `${name} ! ${attributes['error.type']}` : name;
}
