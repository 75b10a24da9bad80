import { inMemoryCli, script, type TurnScript } from '@coxswain/testkit';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { allow, createClient, deny } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { telemetry } from '../src/index.ts';
import { recorder, withContextManager } from './recorder.ts';
import { settled, stage } from './stage.ts';

withContextManager();

const MODEL = 'claude-opus-5-5';
const CHAT = `chat ${MODEL}`;
const AGENT = 'invoke_agent claude-code';
const TASK = { description: 'look', prompt: 'look around' };

describe('the spans of a query', () => {
  it('[V-1, V-2] form a tree below the caller: the turn, its answers and its tools', async () => {
    const { client, traced } = stage((turn) => turn.say('Looking.').useTool('Bash', { command: 'ls' }).say('Done.'));
    const stream = traced.as('request', () => client.query('go', { agent: 'reviewer' }));
    expect(await stream.text()).toBe('Done.');
    await stream.closed;
    expect(traced.tree()).toEqual([
      'request',
      '  invoke_agent reviewer',
      `    ${CHAT}`,
      '    execute_tool Bash',
      `    ${CHAT}`,
    ]);
    const turn = traced.span('invoke_agent reviewer');
    expect(turn.kind).toBe(SpanKind.INTERNAL);
    expect(turn.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.agent.name': 'reviewer',
      'gen_ai.conversation.id': stream.sessionId,
      'coxswain.outcome': 'completed',
      'coxswain.cost.usd': (await stream.cost()).costUsd,
      'coxswain.cost.complete': true,
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    });
    expect(traced.span(CHAT).attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': MODEL,
      'gen_ai.response.id': expect.any(String),
    });
    expect(traced.span('execute_tool Bash').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Bash',
      'gen_ai.tool.call.id': expect.any(String),
    });
    expect(traced.open()).toBe(0);
  });

  it('[V-1] with callbacks form the same tree, with permissions below their tools', async () => {
    const { client, traced } = stage((turn) =>
      turn
        .useTools([
          { name: 'Write', input: { file_path: '/a', content: 'x' } },
          { name: 'Bash', input: { command: 'rm -rf /' } },
        ])
        .say('Done.'),
    );
    const stream = client.query('go', {
      canUseTool: ({ toolName }) => (toolName === 'Write' ? allow() : deny('no shell')),
    });
    await stream.text();
    await stream.closed;
    expect(traced.tree()).toEqual([
      AGENT,
      `  ${CHAT}`,
      '  execute_tool Write',
      '    coxswain.permission',
      '  execute_tool Bash ! tool_error',
      '    coxswain.permission',
      `  ${CHAT}`,
    ]);
    const decisions = traced.spans().flatMap(({ attributes: a }) => (a['coxswain.decision'] ? [a] : []));
    expect(decisions).toMatchObject([
      { 'coxswain.decision': 'allow', 'coxswain.permission.by': 'canUseTool', 'gen_ai.tool.name': 'Write' },
      { 'coxswain.decision': 'deny', 'coxswain.permission.by': 'canUseTool', 'gen_ai.tool.name': 'Bash' },
    ]);
    expect(await traced.metric('coxswain.permission.wait', 'coxswain.decision')).toEqual({ allow: 1, deny: 1 });
  });

  it('[V-1] end with the code of the error: a failed start, an abort, an API error, a limit', async () => {
    const { client, traced } = stage((turn) => turn.say('Thinking …').silence());
    const lost = createClient({ cli: '/nowhere', observers: [telemetry(traced.options)] });
    await expect(lost.query('go').text()).rejects.toThrow();
    const controller = new AbortController();
    const stream = client.query('go', { signal: controller.signal });
    for await (const message of stream) if (message.type === 'assistant') break;
    const aborted = client.query('go', { signal: controller.signal });
    controller.abort();
    await expect(aborted.text()).rejects.toThrow();
    const failing = stage((turn) => turn.apiError(500), { traced });
    await expect(failing.client.query('go').text()).rejects.toThrow();
    const limited = stage((turn) => turn.maxTurns(1), { traced });
    await expect(limited.client.query('go').text()).rejects.toThrow();
    await Promise.all([stream.closed, aborted.closed]);
    const turns = traced.tree().filter((line) => line.startsWith(AGENT));
    expect(turns.slice(0, 1)).toEqual([`${AGENT} ! cli-not-found`]);
    expect(turns).toContain(`${AGENT} ! abort`);
    expect(turns).toContain(`${AGENT} ! api-error`);
    expect(turns).toContain(`${AGENT} ! max-turns`);
    expect(traced.open()).toBe(0);
  });

  it('[V-1] contain a subagent as a nested agent, below the tool call that started it', async () => {
    const { client, traced } = stage((turn) =>
      turn.useAgent(TASK, (sub) => sub.useTool('Grep', { pattern: 'x' }).say('Seen.')).say('Done.'),
    );
    const stream = client.query('go');
    await stream.text();
    await stream.closed;
    expect(traced.tree()).toEqual([
      AGENT,
      `  ${CHAT}`,
      '  execute_tool Agent',
      '    invoke_agent general-purpose',
      `      ${CHAT}`,
      '      execute_tool Grep',
      `  ${CHAT}`,
    ]);
    expect(traced.open()).toBe(0);
  });
});

describe('the spans of a query whose iteration is stopped', () => {
  it('[V-1] end with it, including those of background work', async () => {
    const { client, traced } = stage((turn) =>
      turn.runInBackground('make', { runsMs: 60_000, permission: 'allow' }).say('Started.').silence(),
    );
    const stream = client.query('go');
    for await (const message of stream) if (message.type === 'user' && message.isReplay !== true) break;
    await stream.closed;
    await settled();
    expect(traced.tree()).toEqual([AGENT, `  ${CHAT}`, '  execute_tool Bash', '    coxswain.task ! cut-off']);
    expect(traced.open()).toBe(0);
  });
});

describe('the spans of a session', () => {
  it.each([
    ['is killed', (turn: TurnScript) => turn.say('half').crash(), 'SIGKILL'],
    ['exits with a code', (turn: TurnScript) => turn.say('half').exit(3), 'exit_3'],
  ])('[V-5] are marked as failed, including that of the process, when the CLI %s', async (_, play, errorType) => {
    const { client, traced } = stage(play);
    const session = client.openSession();
    await expect(session.send('go').text()).rejects.toThrow();
    await session.closed;
    await settled();
    const process = traced.span('coxswain.cli');
    expect(process.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(process.attributes['error.type']).toBe(errorType);
    expect(traced.open()).toBe(0);
  });

  it('[V-5] mark only the killed process as failed when a killed CLI is restarted', async () => {
    const traced = recorder();
    const transports = [inMemoryCli(script().otherwise((turn) => turn.crash())), inMemoryCli(script())];
    const client = createClient({
      transport: () => (transports.shift() ?? inMemoryCli(script())).transport(),
      observers: [telemetry(traced.options)],
    });
    const session = client.openSession({ restart: { delayMs: 0 } });
    await expect(session.send('go').text()).rejects.toThrow();
    await session.send('again').result();
    await session.close();
    await settled();
    expect(traced.tree().filter((line) => line.includes('coxswain.cli'))).toEqual([
      'coxswain.cli ! SIGKILL',
      'coxswain.cli',
    ]);
  });

  it('[V-1, V-2] are one for its CLI process, and one for each turn below the caller that sent it', async () => {
    const { client, traced } = stage((turn) => turn.say('Done.'));
    const session = traced.as('opener', () => client.openSession());
    const first = traced.as('alice', () => session.send('one'));
    const second = traced.as('bob', () => session.send('two'));
    await first.text();
    await second.text();
    await session.close();
    expect(traced.tree().sort()).toEqual(
      ['opener', '  coxswain.cli', 'alice', `  ${AGENT}`, `    ${CHAT}`, 'bob', `  ${AGENT}`, `    ${CHAT}`].sort(),
    );
    const process = traced.span('coxswain.cli');
    const turns = traced.spans().filter(({ name }) => name === AGENT);
    for (const turn of turns) {
      expect(turn.links.map(({ context }) => context.spanId)).toEqual([process.spanContext().spanId]);
      expect(turn.attributes['gen_ai.conversation.id']).toBe(session.id);
      expect(turn.events.map(({ name }) => name)).toEqual(['coxswain.turn.started']);
    }
    expect(turns.map(({ attributes }) => attributes['coxswain.turn.id'])).toEqual([first.id, second.id]);
    expect(process.attributes).toMatchObject({ 'gen_ai.conversation.id': session.id, 'process.exit.code': 0 });
    expect(traced.open()).toBe(0);
  });

  it('[V-1] end with the session: waiting turns, running tools, unanswered permissions', async () => {
    const { client, traced } = stage((turn) => turn.useTool('Write', { file_path: '/a', content: 'x' }).say('Never.'));
    const asked = deferred();
    const session = client.openSession({
      canUseTool: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const running = session.send('one');
    const waiting = session.send('two');
    await asked.promise;
    await session.close();
    await Promise.all([running.collect(), waiting.collect()]);
    await running.cost();
    await settled();
    expect(traced.open()).toBe(0);
    expect(traced.tree().filter((line) => line.includes(AGENT))).toEqual([
      `${AGENT} ! session-stopped`,
      `${AGENT} ! session-stopped`,
    ]);
    expect(traced.span('coxswain.permission').attributes).toMatchObject({
      'coxswain.decision': 'session-stop',
      'coxswain.permission.by': 'coxswain',
    });
    expect(await traced.metric('coxswain.turns.waiting')).toEqual({ all: 0 });
    expect(await traced.metric('coxswain.sessions.open')).toEqual({ all: 0 });
  });

  it('[V-1] include a background command and the turn that the CLI starts when it ends', async () => {
    const { client, traced } = stage((turn) =>
      turn.runInBackground('make', { runsMs: 20, permission: 'allow' }, (after) => after.say('Made.')).say('Started.'),
    );
    const session = client.openSession();
    await session.send('go').text();
    await session.idle();
    const { costUsd } = session.cost();
    await session.close();
    await settled();
    expect(traced.tree()).toEqual([
      AGENT,
      `  ${CHAT}`,
      '  execute_tool Bash',
      '    coxswain.task',
      `  ${CHAT}`,
      'coxswain.cli',
      `  ${AGENT}`,
      `    ${CHAT}`,
    ]);
    expect(traced.span('coxswain.task').attributes).toMatchObject({
      'coxswain.task.type': 'local_bash',
      'coxswain.task.status': 'completed',
    });
    const costs = await traced.metric('coxswain.cost.usd');
    expect(costs.all).toBeCloseTo(costUsd, 10);
    const ofSpans = traced.spans().map(({ attributes }) => Number(attributes['coxswain.cost.usd'] ?? 0));
    expect(ofSpans.reduce((a, b) => a + b)).toBeCloseTo(costUsd, 10);
    expect(traced.open()).toBe(0);
  });

  it('[V-1] keep a background subagent open until it ends, after its turn', async () => {
    const { client, traced } = stage((turn) =>
      turn
        .runAgentInBackground(
          TASK,
          (sub) => sub.useTool('Grep', { pattern: 'x' }).say('Seen.'),
          (after) => after.say('Told.'),
        )
        .say('Launched.'),
    );
    const session = client.openSession();
    await session.send('go').text();
    await session.idle();
    await session.close();
    await settled();
    const sub = traced.span('invoke_agent general-purpose');
    expect(sub.attributes['coxswain.task.status']).toBe('completed');
    expect(sub.status.code).toBe(0);
    expect(traced.tree()).toContain('    invoke_agent general-purpose');
    expect(traced.tree()).toContain('      execute_tool Grep');
    expect(traced.open()).toBe(0);
  });

  it('[V-1, V-2] have one span for a turn that is sent again after a restart, linked to both processes', async () => {
    let crashed = false;
    const agent = script().onPrompt('go', (turn) => turn.crash());
    const healthy = inMemoryCli(script().otherwise((turn) => turn.say('Done.')));
    const crashing = inMemoryCli(agent);
    const traced = recorder();
    const client = createClient({
      transport: () => {
        const { transport } = crashed ? healthy : crashing;
        crashed = true;
        return transport();
      },
      observers: [telemetry(traced.options)],
    });
    const session = traced.as('opener', () => client.openSession({ restart: { delayMs: 0, replay: 'unanswered' } }));
    const turn = traced.as('alice', () => session.send('go'));
    expect(await turn.text()).toBe('Done.');
    await session.close();
    await settled();
    const processes = traced.spans().filter(({ name }) => name === 'coxswain.cli');
    const [span, ...others] = traced.spans().filter(({ name }) => name === AGENT);
    expect(others).toEqual([]);
    expect(processes.map(({ attributes }) => attributes['coxswain.cli.incarnation'])).toEqual([0, 1]);
    expect(new Set(processes.map(({ parentSpanContext }) => parentSpanContext?.spanId)).size).toBe(1);
    expect(span?.parentSpanContext?.spanId).toBe(traced.span('alice').spanContext().spanId);
    expect(span?.links.at(-1)?.context.spanId).toBe(processes[1]?.spanContext().spanId);
    expect(span?.events.map(({ name }) => name)).toContain('coxswain.turn.replayed');
    expect(await traced.metric('coxswain.restarts')).toEqual({ all: 1 });
    expect(traced.open()).toBe(0);
  });

  it('[V-1] have events for added prompts, API retries and warnings', async () => {
    const { client, traced } = stage((turn) =>
      turn
        .apiRetry(529, { attempts: 2 })
        .useTool('Bash', { command: 'ls' }, { durationMs: 50 })
        .message({ type: 'news' })
        .say('Done.'),
    );
    const session = client.openSession();
    const turn = session.send('go');
    for await (const message of turn) {
      if (message.type === 'assistant') {
        await turn.steer('faster');
        break;
      }
    }
    await turn.text();
    await session.close();
    await settled();
    const events = traced.span(AGENT).events.map(({ name, attributes }) => [name, Object.values(attributes ?? {})[0]]);
    expect(events).toEqual(
      expect.arrayContaining([
        ['coxswain.api.retry', 529],
        ['coxswain.turn.steered', undefined],
        ['coxswain.warning', 'unknown-message-type'],
      ]),
    );
    expect(await traced.metric('coxswain.warnings', 'coxswain.warning.code')).toEqual({
      'api-retry': 2,
      'unknown-message-type': 1,
    });
  });
});

describe('the spans of a pool', () => {
  it('[V-1, V-2] have the caller of submit() as their parent, and the slot, key and job', async () => {
    const { client, traced } = stage((turn) => turn.say('Done.'));
    const pool = traced.as('owner', () => client.createPool({ size: 1 }));
    const jobs = ['alice', 'bob'].map((name) =>
      traced.as(name, () => pool.submit({ id: `job of ${name}`, key: name, prompt: 'go' })),
    );
    for (const job of jobs) expect((await job.outcome).status).toBe('finished');
    await pool.close();
    await settled();
    const turns = traced.spans().filter(({ name }) => name === AGENT);
    for (const turn of turns) {
      const key = String(turn.attributes['coxswain.key']);
      expect(turn.parentSpanContext?.spanId).toBe(traced.span(key).spanContext().spanId);
      expect(turn.attributes).toMatchObject({
        'coxswain.pool.job': `job of ${key}`,
        'coxswain.pool.slot': expect.any(Number),
        'coxswain.turn.waited': expect.any(Number),
      });
    }
    expect(turns).toHaveLength(2);
    const processes = traced.spans().filter(({ name }) => name === 'coxswain.cli');
    const owner = traced.span('owner').spanContext().spanId;
    expect(processes.every(({ parentSpanContext }) => parentSpanContext?.spanId === owner)).toBe(true);
    expect(traced.open()).toBe(0);
  });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
