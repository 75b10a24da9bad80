// The span processor of Langfuse with the instrumentation of OpenInference, as Langfuse documents it; the spans are kept in memory.
import process from 'node:process';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { BasicTracerProvider, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { report } from './report.mjs';
import { observedRun } from './tracing-run.mjs';

const exporter = new InMemorySpanExporter();
const key = { publicKey: 'pk-driver', secretKey: 'sk-driver', baseUrl: 'http://127.0.0.1:9' };
const processor = new LangfuseSpanProcessor({ ...key, exporter, shouldExportSpan: () => true });
const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] });
await observedRun(new ClaudeAgentSDKInstrumentation({ tracerProvider }).manuallyInstrument(sdk));
await processor.forceFlush();
const spans = exporter.getFinishedSpans().map(({ name, status, attributes }) => ({
  name,
  status: status.code,
  attributes,
}));
report('spans', spans);
report('spans: kinds', spans.map(({ attributes }) => attributes['openinference.span.kind']).sort(), ['AGENT', 'TOOL']);
process.disconnect();
