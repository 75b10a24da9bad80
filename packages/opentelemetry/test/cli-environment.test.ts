import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { createClient } from 'coxswain';
import type { StartRequest, Transport } from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { cliEnvironment } from '../src/cli-environment.ts';
import { extractTrace, telemetry } from '../src/index.ts';
import { recorder, withContextManager } from './recorder.ts';
import { settled, stage } from './stage.ts';

withContextManager();

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const parent = extractTrace({ traceparent: TRACEPARENT, tracestate: 'a=1' }, ROOT_CONTEXT);

describe('the environment of the CLI', () => {
  it('[V-3] has the parent of its spans, and its own telemetry is off', () => {
    expect(cliEnvironment({}, parent, {})).toEqual({
      TRACEPARENT,
      TRACESTATE: 'a=1',
      CLAUDE_CODE_ENABLE_TELEMETRY: '0',
    });
    expect(cliEnvironment({ cliTelemetry: 'own' }, ROOT_CONTEXT, {})).toEqual({ CLAUDE_CODE_ENABLE_TELEMETRY: '0' });
  });

  it("[V-3] turns it on with cliTelemetry: 'cli', and keeps what the environment sets", () => {
    const otlp = { endpoint: 'http://localhost:4318', headers: { 'x-key': 'a b' } };
    expect(cliEnvironment({ cliTelemetry: 'cli', otlp }, parent, { OTEL_LOGS_EXPORTER: 'none' })).toEqual({
      TRACEPARENT,
      TRACESTATE: 'a=1',
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
    });
    const grpc = cliEnvironment({ cliTelemetry: 'cli', otlp: { protocol: 'grpc' } }, parent, {});
    expect(grpc.OTEL_EXPORTER_OTLP_PROTOCOL).toBe('grpc');
  });

  it('[V-3] names the span of a query, and the process span of a session', async () => {
    const { transport } = stage((turn) => turn.say('Done.'));
    const traced = recorder();
    const environments: StartRequest['env'][] = [];
    const client = createClient({
      transport: () => noting(transport(), environments),
      observers: [telemetry(traced.options)],
    });
    await client.query('one').text();
    const session = client.openSession();
    await session.send('two').text();
    await session.send('three').text();
    await session.close();
    await settled();
    const named = environments.map(({ TRACEPARENT: value }) =>
      trace.getSpanContext(extractTrace({ traceparent: value }, ROOT_CONTEXT)),
    );
    const spans = [traced.span('invoke_agent claude-code'), traced.span('coxswain.cli')];
    expect(named.map((span) => span?.spanId)).toEqual(spans.map((span) => span.spanContext().spanId));
    expect(named.map((span) => span?.traceId)).toEqual(spans.map((span) => span.spanContext().traceId));
  });
});

/** Notes the environments that a transport is started with. */
function noting(transport: Transport, environments: StartRequest['env'][]): Transport {
  const start = transport.start.bind(transport);
  transport.start = (request) => {
    environments.push(request.env);
    return start(request);
  };
  return transport;
}
