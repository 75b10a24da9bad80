// The instrumentation of OpenInference, with spans kept in memory.
import process from 'node:process';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { report } from './report.mjs';
import { observedRun } from './tracing-run.mjs';

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
await observedRun(new ClaudeAgentSDKInstrumentation({ tracerProvider }).manuallyInstrument(sdk));
const finished = exporter.getFinishedSpans();
const names = new Map(finished.map((span) => [span.spanContext().spanId, span.name]));
const spans = finished.map(({ name, status, attributes, parentSpanContext }) => ({
  name,
  status: status.code,
  parent: names.get(parentSpanContext?.spanId) ?? null,
  attributes,
}));
report('spans', spans);
report('spans: kinds', spans.map(({ attributes }) => attributes['openinference.span.kind']).sort(), ['AGENT', 'TOOL']);
process.disconnect();
