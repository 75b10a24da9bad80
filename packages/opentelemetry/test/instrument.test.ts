import { context, trace } from '@opentelemetry/api';
import { createClient, createPool, openSession } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { instrument, telemetry } from '../src/index.ts';
import { metricSpecs } from '../src/names.ts';
import { recorder, withContextManager } from './recorder.ts';
import { settled, stage } from './stage.ts';

withContextManager();

const AGENT = 'invoke_agent claude-code';

describe('instrument()', () => {
  it('[V-1] traces a client and everything it opens, until it is stopped', async () => {
    const { transport } = stage((turn) => turn.say('Done.'));
    const traced = recorder();
    const client = createClient({ transport });
    const stop = instrument(client, traced.options);
    await client.query('one').text();
    await using session = client.with({ model: 'opus' }).openSession();
    await session.send('two').text();
    await settled();
    expect(traced.spans().filter(({ name }) => name === AGENT)).toHaveLength(2);
    const silent = session.send('three');
    stop();
    expect(traced.open()).toBe(0);
    await silent.text();
    await client.query('four').text();
    await settled();
    expect(traced.spans().filter(({ name }) => name === AGENT)).toHaveLength(3);
    expect(traced.open()).toBe(0);
  });

  it('[V-1] traces the turns of an open session from now on', async () => {
    const { transport } = stage((turn) => turn.say('Done.'));
    const traced = recorder();
    await using session = openSession({ transport });
    await session.send('one').text();
    instrument(session, traced.options);
    await session.send('two').text();
    await settled();
    expect(traced.tree()).toEqual([AGENT, '  chat claude-opus-5-5']);
  });

  it('[V-1] traces a pool, and counts its jobs', async () => {
    const { transport } = stage((turn) => turn.say('Working.').silence());
    const traced = recorder();
    const pool = createPool({ size: 1, defaults: { transport } });
    const stop = instrument(pool, traced.options);
    const running = pool.submit({ prompt: 'one' });
    void pool.submit({ prompt: 'two' });
    void pool.submit({ prompt: 'three' });
    for await (const message of running) if (message.type === 'assistant') break;
    expect(await traced.metric('coxswain.pool.jobs', 'coxswain.pool.job.state')).toEqual({ queued: 2, running: 1 });
    await pool.close();
    await settled();
    expect(traced.tree()).toContain(`${AGENT} ! session-stopped`);
    expect(traced.open()).toBe(0);
    stop();
  });

  it('[V-3] traces a run once, even if it is observed twice', async () => {
    const { transport } = stage((turn) => turn.say('Done.'));
    const traced = recorder();
    const observer = telemetry(traced.options);
    const client = createClient({ transport, observers: [observer] });
    client.observe(observer);
    await client.query('one', { observers: [observer] }).text();
    await settled();
    expect(traced.spans().filter(({ name }) => name === AGENT)).toHaveLength(1);
    observer.end();
    await client.query('two').text();
    await settled();
    expect(traced.spans().filter(({ name }) => name === AGENT)).toHaveLength(1);
  });

  it('[V-3] traces the runs and costs of a pool once if its client is also instrumented', async () => {
    const { transport } = stage((turn) => turn.say('Done.'));
    const traced = recorder();
    const client = createClient({ transport });
    const stop = instrument(client, traced.options);
    const pool = client.createPool({ size: 1 });
    instrument(pool, traced.options);
    const job = pool.submit({ prompt: 'one' });
    await job.text();
    await settled();
    expect(traced.spans().filter(({ name }) => name === AGENT)).toHaveLength(1);
    expect((await traced.metric('coxswain.cost.usd')).all).toBeCloseTo((await job.cost()).costUsd, 10);
    await using session = client.openSession();
    stop();
    instrument(session, traced.options);
    await session.send('two').text();
    await settled();
    expect(traced.spans().filter(({ name }) => name === AGENT)).toHaveLength(2);
    await pool.close();
  });

  it('[V-1] uses the global providers by default, and does nothing without any', async () => {
    const { transport } = stage((turn) => turn.say('Done.'));
    const client = createClient({ transport, observers: [telemetry()] });
    expect(await client.query('one').text()).toBe('Done.');
    expect(trace.getSpan(context.active())).toBeUndefined();
  });

  it('[V-1] adds attributes of the application to every span of a run', async () => {
    const { client, traced } = stage((turn) => turn.useTool('Bash', { command: 'ls' }).say('Done.'), {
      attributes: ({ kind }) => ({ tenant: 'ann', kind }),
    });
    await client.query('one').text();
    await settled();
    for (const { attributes } of traced.spans()) expect(attributes).toMatchObject({ tenant: 'ann', kind: 'query' });
  });
});

describe('the metrics', () => {
  it('[V-1] are recorded for a session with hooks, tools and answers', async () => {
    const { client, traced } = stage((turn) => turn.useTool('Bash', { command: 'ls' }).say('Done.'));
    const session = client.openSession({ hooks: { PreToolUse: () => undefined } });
    await session.send('one').text();
    const cost = session.cost();
    expect(await traced.metric('coxswain.sessions.open')).toEqual({ all: 1 });
    await session.close();
    await settled();
    expect(await traced.metric('gen_ai.invoke_agent.duration')).toEqual({ all: 1 });
    expect(await traced.metric('gen_ai.client.operation.duration', 'gen_ai.request.model')).toEqual({
      'claude-opus-5-5': 2,
    });
    expect(await traced.metric('gen_ai.execute_tool.duration', 'gen_ai.tool.name')).toEqual({ Bash: 1 });
    expect(await traced.metric('gen_ai.client.token.usage', 'gen_ai.token.type')).toEqual({ input: 1, output: 1 });
    expect(await traced.metric('coxswain.hook.duration', 'coxswain.hook.event')).toEqual({ PreToolUse: 1 });
    expect(await traced.metric('coxswain.turn.wait')).toEqual({ all: 1 });
    expect((await traced.metric('coxswain.cost.usd')).all).toBeCloseTo(cost.costUsd, 10);
    expect(await traced.metric('coxswain.sessions.open')).toEqual({ all: 0 });
  });

  it("[V-3] and spans omit what the CLI reports itself with cliTelemetry: 'cli'", async () => {
    const { client, traced } = stage((turn) => turn.useTool('Bash', { command: 'ls' }).say('Done.'), {
      cliTelemetry: 'cli',
    });
    const session = client.openSession();
    await session.send('one').text();
    await session.close();
    await settled();
    expect(traced.tree()).toEqual([AGENT, 'coxswain.cli']);
    const left = Object.values(metricSpecs).filter(({ withCli }) => !withCli);
    expect(left.map(({ name }) => name)).toContain('coxswain.cost.usd');
    for (const { name } of left) expect(await traced.metric(name)).toEqual({});
    expect(await traced.metric('gen_ai.invoke_agent.duration')).toEqual({ all: 1 });
  });
});
