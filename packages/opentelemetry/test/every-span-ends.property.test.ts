import type { Message, RunEvent } from 'coxswain';
import type { ObservedRun, RunWatcher } from 'coxswain/observe';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { telemetry } from '../src/index.ts';
import { recorder, withContextManager } from './recorder.ts';

withContextManager();

const TURNS = ['t1', 't2', 't3'];
const TOOLS = ['u1', 'u2', 'u3'];
const turn = fc.constantFrom(...TURNS);
const tool = fc.constantFrom(...TOOLS);
const parent = fc.option(tool);
const cost = {
  costUsd: 1,
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0 },
  byModel: {},
  complete: true,
};

/** One thing that a run can tell its watcher, in any order: also orders that no CLI has shown so far. */
const step = fc.oneof(
  turn.map((id) => ({ prompt: id })),
  turn.map((id) => ({ end: id })),
  fc.record({ message: fc.oneof(answers(), results(), tasks(), ends()), turn: fc.option(turn) }),
  fc.record({ event: events() }),
  fc.constant({ environment: true }),
);

describe('every span', () => {
  it.each(['session', 'query'] as const)('[V-1] of a %s ends, whatever the CLI does', async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const traced = recorder();
        const observer = telemetry({ ...traced.options, content: true });
        const run: ObservedRun = { id: 't1', kind, options: {}, pool: undefined, redact: (text) => text };
        const watcher = observer.opened(run) ?? {};
        const begun = new Set<string>();
        for (const [at, one] of steps.entries()) play(watcher, one, 1_000 + at, begun);
        for (const type of ['exit', 'stopped']) watcher.event?.(event({ type, exitCode: 0 }, 2_000));
        for (const id of begun) watcher.turnEnded?.({ turn: id, outcome: 'completed', error: null, cost });
        expect(traced.open()).toBe(0);
        const ids = new Set(traced.spans().map((span) => span.spanContext().spanId));
        for (const { parentSpanContext: above } of traced.spans()) if (above) expect(ids).toContain(above.spanId);
        expect((await traced.metric('coxswain.turns.waiting')).all ?? 0).toBe(0);
        expect((await traced.metric('coxswain.sessions.open')).all ?? 0).toBe(0);
        observer.end();
        expect(traced.open()).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});

function play(
  watcher: RunWatcher,
  one: ReturnType<typeof step.generate>['value'],
  at: number,
  begun: Set<string>,
): void {
  if ('prompt' in one && !begun.has(one.prompt)) {
    begun.add(one.prompt);
    watcher.prompt?.({ turn: one.prompt, content: 'go', steers: false, job: null, at });
  } else if ('end' in one && begun.delete(one.end)) {
    watcher.turnEnded?.({ turn: one.end, outcome: null, error: { code: 'abort' }, cost });
  } else if ('message' in one) {
    // As the CLI could send it: only `type` is certain.
    const message = one.message as unknown as Message;
    watcher.message?.({ kind: 'message', message, rawJson: '', turn: one.turn, at });
  } else if ('event' in one) {
    watcher.event?.(event(one.event, at));
  } else if ('environment' in one) {
    watcher.environment?.();
  }
}

function event(body: object, at: number): RunEvent {
  return { seq: 0, at, ...body } as RunEvent;
}

function answers(): fc.Arbitrary<object> {
  return fc.record({ id: fc.constantFrom('m1', 'm2'), uses: fc.array(tool, { maxLength: 2 }), parent }).map((it) => ({
    type: 'assistant',
    parent_tool_use_id: it.parent,
    message: {
      id: it.id,
      model: 'm',
      usage: { input_tokens: 1, output_tokens: 1 },
      content: it.uses.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
    },
  }));
}

function results(): fc.Arbitrary<object> {
  return fc.record({ id: tool, parent, failed: fc.boolean() }).map((it) => ({
    type: 'user',
    parent_tool_use_id: it.parent,
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: it.id, content: 'x', is_error: it.failed }],
    },
  }));
}

function tasks(): fc.Arbitrary<object> {
  const type = fc.constantFrom('local_agent', 'local_bash');
  return fc.oneof(
    fc.record({ id: tool, type }).map((it) => ({
      ...{ type: 'system', subtype: 'task_started', task_id: `task of ${it.id}` },
      ...{ tool_use_id: it.id, task_type: it.type, subagent_type: 'scout' },
    })),
    tool.map((id) => ({ type: 'system', subtype: 'task_notification', task_id: `task of ${id}`, status: 'completed' })),
  );
}

function ends(): fc.Arbitrary<object> {
  return fc.constant({ type: 'result', subtype: 'success', session_id: 'c1' });
}

function events(): fc.Arbitrary<object> {
  const request = { id: 'p1', toolName: 'Bash', toolUseId: 'u1' };
  return fc.oneof(
    turn.map((id) => ({ type: 'turn-started', turn: id })),
    turn.map((id) => ({ type: 'turn-ended', turn: id })),
    fc.constantFrom<object>(
      { type: 'started', pid: 1 },
      { type: 'permission-requested', request },
      { type: 'permission-answered', id: 'p1', tool: 'Bash', decision: 'allow', ms: 1 },
      { type: 'exit', exitCode: 1 },
      { type: 'cost-reported', turn: null, cost },
      { type: 'warning', warning: { code: 'unknown-tool', message: '', context: {} } },
    ),
  );
}
