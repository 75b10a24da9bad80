import type { Context } from '@opentelemetry/api';
import type { TelemetryOptions } from './options.ts';
import { injectTrace } from './trace-carrier.ts';

/**
 * Variables for a CLI process: the parent of its own spans, and whether it reports any. The CLI reads the parent once,
 * when it starts. Programs that its tools start inherit it.
 */
export function cliEnvironment(
  { cliTelemetry = 'own', otlp = {} }: Pick<TelemetryOptions, 'cliTelemetry' | 'otlp'>,
  parent: Context,
  inherited: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const { traceparent, tracestate } = injectTrace(parent);
  const above = {
    ...(traceparent !== undefined && { TRACEPARENT: traceparent }),
    ...(tracestate !== undefined && { TRACESTATE: tracestate }),
  };
  // A host that is configured by OTEL_* variables passes them on, and the CLI would report the same data again.
  if (cliTelemetry === 'own') return { ...above, CLAUDE_CODE_ENABLE_TELEMETRY: '0' };
  const { endpoint, protocol, headers } = otlp;
  const unlessSet = (name: string, value: string): Record<string, string> => (inherited[name] ? {} : { [name]: value });
  return {
    ...above,
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
    ...unlessSet('OTEL_TRACES_EXPORTER', 'otlp'),
    ...unlessSet('OTEL_METRICS_EXPORTER', 'otlp'),
    ...unlessSet('OTEL_LOGS_EXPORTER', 'otlp'),
    ...(protocol === undefined
      ? unlessSet('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
      : { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }),
    ...(endpoint !== undefined && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
    ...(headers !== undefined && { OTEL_EXPORTER_OTLP_HEADERS: headerList(headers) }),
  };
}

function headerList(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join(',');
}
