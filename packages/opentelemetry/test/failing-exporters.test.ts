import { inMemoryCli, script } from '@coxswain/testkit';
import type { TracerProvider } from '@opentelemetry/api';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { allow, createClient } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { type TelemetryOptions, telemetry } from '../src/index.ts';
import { withContextManager } from './recorder.ts';
import { settled } from './stage.ts';

withContextManager();

const fail = (): never => {
  throw new Error('the exporter is broken');
};
const exporter = (how: SpanExporter['export']): SpanExporter => ({ export: how, shutdown: async () => {} });
const refusing = exporter((_, done) => done({ code: 1, error: new Error('refused') }));
const hanging = exporter(() => {});
const throwing = exporter(fail);
const brokenProcessor: SpanProcessor = { onStart: fail, onEnd: fail, forceFlush: fail, shutdown: async () => {} };
const provider = (...spanProcessors: SpanProcessor[]): TracerProvider => new NodeTracerProvider({ spanProcessors });
const brokenTracer: TracerProvider = { getTracer: () => ({ startSpan: fail, startActiveSpan: fail }) };
const noTracer: TracerProvider = { getTracer: fail };

describe('an exporter', () => {
  it.each<[string, TelemetryOptions]>([
    ['throws', { tracerProvider: provider(new SimpleSpanProcessor(throwing)) }],
    ['throws in a batch', { tracerProvider: provider(new BatchSpanProcessor(throwing, { scheduledDelayMillis: 1 })) }],
    ['never answers', { tracerProvider: provider(new BatchSpanProcessor(hanging, { scheduledDelayMillis: 1 })) }],
    ['refuses', { tracerProvider: provider(new SimpleSpanProcessor(refusing)) }],
    ['has a processor that throws', { tracerProvider: provider(brokenProcessor) }],
    ['has a tracer that throws', { tracerProvider: brokenTracer }],
    ['has no tracer', { tracerProvider: noTracer }],
    ['has a meter that throws', { meterProvider: { getMeter: fail } }],
    ['has attributes that throw', { attributes: fail }],
  ])('[V-4] does not affect a run if it %s', async (_, options) => {
    const agent = script().otherwise((turn) =>
      turn
        .useTool('Write', { file_path: '/a', content: 'x' })
        .useAgent({ prompt: 'p', description: 'd' }, (sub) => sub.say('s'))
        .say('Done.'),
    );
    const { transport } = inMemoryCli(agent);
    const client = createClient({ transport, observers: [telemetry({ ...options, content: true })] });
    expect(await client.query('go').text()).toBe('Done.');
    const session = client.openSession({ canUseTool: () => allow(), hooks: { PreToolUse: () => undefined } });
    expect(await session.send('go').text()).toBe('Done.');
    expect(await session.close()).toMatchObject({ exitCode: 0 });
    await settled();
  });

  it('[V-4] that throws does not prevent later spans from ending', async () => {
    const ended: string[] = [];
    const processor: SpanProcessor = {
      ...brokenProcessor,
      onStart: () => {},
      onEnd: (span) => {
        ended.push(span.name);
        fail();
      },
    };
    const { transport } = inMemoryCli(
      script().otherwise((turn) => turn.useTool('Bash', { command: 'ls' }).say('Done.')),
    );
    const observer = telemetry({ tracerProvider: provider(processor) });
    const client = createClient({ transport, observers: [observer] });
    const session = client.openSession();
    await session.send('go').text();
    await session.close();
    await settled();
    expect(ended.sort()).toEqual([
      ...['chat claude-opus-5-5', 'chat claude-opus-5-5', 'coxswain.cli'],
      ...['execute_tool Bash', 'invoke_agent claude-code'],
    ]);
  });
});
