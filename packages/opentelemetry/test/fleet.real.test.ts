import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { SpanKind } from '@opentelemetry/api';
import { expect, it, onTestFinished } from 'vitest';
import { POSTGRES_BINARIES } from '../../../scripts/fetch/postgres.mjs';
import { fleetTelemetry, telemetry } from '../src/index.ts';
import { recorder, withContextManager } from './recorder.ts';

withContextManager();

const limits = { pollMs: 200, flushMs: 10 };

it('[V-2] turns are in the trace of the caller that submitted them, across the database of a fleet', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'coxswain-traced-fleet-'));
  chmodSync(directory, 0o755);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [service, machine] = [recorder(), recorder()];
  const embedded = { directory: join(directory, 'data'), binaries: POSTGRES_BINARIES };
  await using fleet = await openFleet({ embedded, limits, tracing: fleetTelemetry(service.options) });
  const turn = await service.as('request', () => fleet.submit({ key: 'ann', prompt: 'tidy' }));
  const broken = await service.as('request', () => fleet.submit({ key: 'bob', prompt: 'tidy', id: 'broken' }));
  const foreign = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const given = await fleet.submit({ key: 'cid', prompt: 'tidy', traceparent: foreign });
  const agent = defineAgent({
    options: ({ key }) => {
      if (key === 'bob') throw new RangeError('no room');
      const { transport } = inMemoryCli(script().otherwise((answer) => answer.say('done')));
      return { transport, observers: [telemetry(machine.options)] };
    },
  });
  const tracing = fleetTelemetry(machine.options);
  {
    await using _worker = await startWorker({ database: fleet.embeddedUrl, limits, agent, tracing, slots: 1 });
    await Promise.all([turn.outcome(), broken.outcome(), given.outcome()]);
  }
  expect(service.tree()).toEqual(['request', '  fleet.submit', 'request', '  fleet.submit', 'fleet.submit']);
  const submitted = service
    .spans()
    .filter(({ name }) => name === 'fleet.submit')[0]
    ?.spanContext();
  const runs = machine.spans().filter(({ name }) => name === 'fleet.turn');
  const run = runs.find(({ attributes }) => attributes['coxswain.turn.id'] === turn.id);
  expect(run?.kind).toBe(SpanKind.CONSUMER);
  expect(run?.spanContext().traceId).toBe(submitted?.traceId);
  expect(run?.parentSpanContext?.spanId).toBe(submitted?.spanId);
  expect(run?.links.map(({ context }) => context.spanId)).toEqual([submitted?.spanId]);
  expect(run?.attributes).toMatchObject({ 'coxswain.fleet.attempt': 1, 'coxswain.fleet.epoch': expect.any(Number) });
  const inTrace = machine.spans().filter((span) => span.spanContext().traceId === submitted?.traceId);
  const below = inTrace.filter(({ parentSpanContext }) => parentSpanContext?.spanId === run?.spanContext().spanId);
  expect(below.map(({ name }) => name)).toEqual(['coxswain.cli', 'invoke_agent claude-code']);
  expect(machine.tree()).toContain('fleet.turn ! agent-failed');
  expect(runs.map((span) => span.parentSpanContext?.spanId)).toContain('b7ad6b7169203331');
  expect([service.open(), machine.open()]).toEqual([0, 0]);
});
