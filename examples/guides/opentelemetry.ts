// #region otlp
import { fleetTelemetry, instrument, telemetry } from '@coxswain/opentelemetry';
import { metrics } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { createClient, openSession, query } from 'coxswain';

// The exporters read OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS; http://localhost:4318 by default.
const tracing = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
tracing.register(); // also keeps the active context
const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() });
const metering = new MeterProvider({ readers: [reader] });
metrics.setGlobalMeterProvider(metering);

const client = createClient({ model: 'sonnet' });
const stop = instrument(client); // every query, session and pool of the client from now on
// #endregion

console.log(await client.query('Do the tests pass?').text());

{
  // #region option
  const observer = telemetry({ attributes: () => ({ 'service.instance.id': 'worker-7' }) });
  console.log(await query('And the linter?', { observers: [observer] }).text());
  // #endregion
}

// #region shutdown
stop(); // ends the spans that are open
await Promise.all([tracing.shutdown(), metering.shutdown()]); // sends what is left
// #endregion

{
  // #region cli
  const observer = telemetry({
    cliTelemetry: 'cli', // the CLI reports model requests, tools, tokens and costs itself
    otlp: { endpoint: 'http://localhost:4318', protocol: 'http/json' },
  });
  await using session = openSession({ observers: [observer] });
  // #endregion
  await session.ready;
}

{
  // #region queue
  const spans = fleetTelemetry();
  const stored = await spans.submit({ key: 'ann', turn: 't1' }, async (carrier) => {
    return { carrier, submittedAt: Date.now() }; // store the carrier with the turn: it is plain text
  });
  await spans.turn({ key: 'ann', turn: 't1', epoch: 1, attempt: 1, ...stored }, async () => {
    console.log('the worker runs the turn here'); // a query in here is a child of fleet.turn
  });
  // #endregion
}
