import { type TelemetryOptions, telemetry } from '@coxswain/opentelemetry';
import { text, toolUse } from '@coxswain/testkit';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { type AgentOptions, openSession } from 'coxswain';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { realCli } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { type OtlpReceiver, type OtlpSpan, startReceiver } from './otlp-receiver.ts';

describe('the spans of the real CLI', () => {
  it("[V-3] are children of a query's span, in one trace, with cliTelemetry: 'cli'; only the CLI reports costs", async () => {
    await using receiver = await startReceiver();
    await using scene = await openScene([toolUse('Bash', { command: 'echo hi' }), text('Done.')]);
    const { observer, flush } = tracing(receiver, { cliTelemetry: 'cli', otlp: { endpoint: receiver.url } });
    const stream = scene.query('go', { observers: [observer], allowedTools: ['Bash(echo *)'], env: METRICS_ON });
    expect(await stream.text()).toBe('Done.');
    await stream.closed;
    await flush();
    const turn = spanOf(receiver, 'invoke_agent claude-code');
    const interaction = spanOf(receiver, 'claude_code.interaction');
    expect(interaction).toMatchObject({ traceId: turn.traceId, parentSpanId: turn.spanId, service: 'claude-code' });
    for (const name of ['claude_code.llm_request', 'claude_code.tool']) {
      expect(spanOf(receiver, name)).toMatchObject({ traceId: turn.traceId, parentSpanId: interaction.spanId });
    }
    const ours = receiver.spans().filter(({ service }) => service !== 'claude-code');
    expect(ours.map(({ name }) => name)).toEqual(['invoke_agent claude-code']);
    expect(receiver.metrics()).toContainEqual(['claude-code', 'claude_code.cost.usage']);
  });

  it('[V-3] of all turns of a session are children of the process span, which the turns link to', async () => {
    await using receiver = await startReceiver();
    await using scene = await openScene([text('one'), text('two')]);
    const { observer, flush } = tracing(receiver, { cliTelemetry: 'cli', otlp: { endpoint: receiver.url } });
    const session = openSession({
      cli: realCli(),
      cwd: scene.home.project,
      inheritEnv: false,
      env: scene.home.env(METRICS_ON),
      observers: [observer],
    });
    await session.send('one').text();
    await session.send('two').text();
    await session.close();
    await flush();
    const process = spanOf(receiver, 'coxswain.cli');
    const interactions = receiver.spans().filter(({ name }) => name === 'claude_code.interaction');
    expect(interactions).toHaveLength(2);
    for (const span of interactions) expect(span.parentSpanId).toBe(process.spanId);
    const turns = receiver.spans().filter(({ name }) => name === 'invoke_agent claude-code');
    expect(turns).toHaveLength(2);
    for (const { links } of turns) expect(links?.map(({ spanId }) => spanId)).toEqual([process.spanId]);
    const conversations = [...turns, ...receiver.spans().filter(({ name }) => name === 'claude_code.llm_request')];
    expect(new Set(conversations.map(({ attributes }) => attributes['gen_ai.conversation.id']))).toEqual(
      new Set([session.id]),
    );
  });

  it('[V-3] are off by default, even if the host has turned them on for its child processes', async () => {
    vi.stubEnv('CLAUDE_CODE_ENABLE_TELEMETRY', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    await using receiver = await startReceiver();
    await using scene = await openScene([text('Done.'), text('Done.')]);
    const { observer, flush } = tracing(receiver, {});
    const env = {
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      ...{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_METRICS_EXPORTER: 'otlp', CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1' },
      ...METRICS_ON,
    };
    const inheriting: AgentOptions = { inheritEnv: ['CLAUDE_CODE_ENABLE_TELEMETRY'], env };
    const stream = scene.query('go', { ...inheriting, observers: [observer] });
    expect(await stream.text()).toBe('Done.');
    await stream.closed;
    await flush();
    expect(receiver.spans().map(({ name }) => name)).toContain('invoke_agent claude-code');
    expect(receiver.spans().map(({ service }) => service)).not.toContain('claude-code');
    expect(receiver.metrics()).toEqual([]);

    const unobserved = scene.query('go', inheriting);
    expect(await unobserved.text()).toBe('Done.');
    await unobserved.closed;
    expect(receiver.metrics()).toContainEqual(['claude-code', 'claude_code.cost.usage']);
  });
});

/** Undoes the harness setting that turns off all telemetry of the CLI. */
const METRICS_ON: AgentOptions['env'] = { DISABLE_TELEMETRY: undefined };

/** Sends our spans to the receiver as well. */
function tracing(
  { url }: OtlpReceiver,
  options: TelemetryOptions,
): { readonly observer: ReturnType<typeof telemetry>; readonly flush: () => Promise<void> } {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return {
    observer: telemetry({ ...options, tracerProvider }),
    flush: () => tracerProvider.forceFlush(),
  };
}

function spanOf(receiver: OtlpReceiver, wanted: string): OtlpSpan {
  const found = receiver.spans().find(({ name }) => name === wanted);
  if (!found) throw new Error(`No ${wanted}, but ${receiver.spans().map(({ name }) => name)}`);
  return found;
}
