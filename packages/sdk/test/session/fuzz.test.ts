import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideLater } from '../../src/callbacks/decisions.ts';
import type { RunEvent } from '../../src/report/events.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { FakeCli, settle, silence } from '../support/fake-cli.ts';

const anything = fc.jsonValue({ maxDepth: 1 });
/** Values that break code that expects a string, and ids that may belong to a pending request. */
const nasty = fc.oneof(
  fc.constantFrom<unknown>({ toString: 1 }, { toString: null, valueOf: 1 }),
  fc.constantFrom<unknown>('req_1', 'req_2', 'q', 'hook_0', '', null, 0, []),
  anything,
);

const frame = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('control_request'),
      request_id: nasty,
      request: fc.oneof(
        fc.record(
          {
            subtype: fc.constantFrom(
              'hook_callback',
              'can_use_tool',
              'mcp_message',
              'elicitation',
              'novelty',
              '__proto__',
            ),
            callback_id: nasty,
            input: fc.oneof(
              fc.record({ hook_event_name: nasty, tool_name: nasty, tool_input: nasty }, { requiredKeys: [] }),
              nasty,
            ),
            tool_name: nasty,
            tool_use_id: nasty,
            server_name: fc.oneof(fc.constant('calc'), nasty),
            message: fc.oneof(
              fc.record({ jsonrpc: fc.constant('2.0'), id: nasty, method: nasty }, { requiredKeys: [] }),
              nasty,
            ),
            mcp_server_name: nasty,
            permission_suggestions: nasty,
          },
          { requiredKeys: ['subtype'] },
        ),
        nasty,
      ),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('control_response', 'control_cancel_request', 'keep_alive'),
      request_id: nasty,
      response: nasty,
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('control_response'),
      response: fc.record(
        {
          subtype: fc.constantFrom('success', 'error'),
          request_id: fc.constantFrom('req_2', 'req_3', 'req_4'),
          response: nasty,
          error: nasty,
          error_code: nasty,
        },
        { requiredKeys: ['subtype', 'request_id'] },
      ),
    },
    { requiredKeys: ['type', 'response'] },
  ),
  anything,
);

const message = fc.record(
  {
    type: fc.constantFrom('system', 'assistant', 'user', 'result', 'command_lifecycle', 'stream_event', 'novelty'),
    subtype: fc.oneof(
      fc.constantFrom(
        'init',
        'status',
        'task_started',
        'task_notification',
        'control_request_progress',
        'api_retry',
        'success',
        'error_during_execution',
      ),
      nasty,
    ),
    uuid: nasty,
    isReplay: fc.boolean(),
    session_id: nasty,
    request_id: nasty,
    message: nasty,
    tools: nasty,
    model: nasty,
    permissionMode: nasty,
    claude_code_version: nasty,
    mcp_servers: nasty,
    task_id: nasty,
    status: nasty,
    errors: fc.oneof(fc.array(nasty), nasty),
    result: nasty,
    is_error: nasty,
    permission_denials: fc.oneof(fc.array(fc.oneof(fc.record({ tool_name: nasty }), nasty)), nasty),
    origin: nasty,
    user_message_uuids: nasty,
    retry_delay_ms: nasty,
    state: fc.oneof(fc.constant('started'), nasty),
    command_uuid: nasty,
    sdk_host_only: nasty,
    terminal_reason: nasty,
    event: nasty,
  },
  { requiredKeys: ['type'] },
);

const line = fc.oneof(
  { weight: 9, arbitrary: fc.oneof(frame, message).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string() },
);

const callbacks = fc.constantFrom<() => unknown>(
  () => undefined,
  () => decideLater(),
  () => ({ behavior: 'allow' }),
  () => ({ continue: true }),
  () => new Promise(() => {}),
  () => Promise.reject(new Error('later')),
  () => {
    throw new Error('at once');
  },
  () => 7n,
);

describe('a CLI that sends arbitrary frames', () => {
  it('[E-4, S-9, X-4] does not break the session: every request is answered at most once, and close() ends it cleanly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), callbacks, fc.boolean(), async (lines, callback, dies) => {
        const cli = new FakeCli({ set_model: silence, get_settings: silence });
        const events: RunEvent[] = [];
        const run = callback as () => undefined; // It may return anything.
        const session = openSession({
          transport: cli,
          limits: { graceMs: 50, termMs: 50, exitReadMs: 20 },
          hooks: { PreToolUse: run, Stop: run },
          canUseTool: run as () => never,
          mcpServers: { calc: run },
          onElicitation: run as () => never,
          onControlRequest: run,
          onEvent: (event) => void events.push(event),
        });
        await session.ready;
        session.send('one', { model: 'other' });
        session.send('two', { idleTimeoutMs: 10_000 });
        session.setModel('x').catch(() => {});
        for (const text of lines) {
          cli.print(`${text}\n`);
          await settle();
        }
        session.health();
        // The session still responds.
        await session.request('ping', {}, { timeoutMs: 2_000 });
        if (dies) cli.die(1);
        const report = await session.close();
        expect(report.error).toBeUndefined();
        expect(['stopped', 'failed', 'ended']).toContain(session.state);
        expect(JSON.parse(JSON.stringify(events))).toEqual(events);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i));
        const answers = cli.story.filter((words) => words.startsWith('answer'));
        const asked = lines.flatMap((text) => (text.includes('"control_request"') ? [text] : []));
        expect(answers.length).toBeLessThanOrEqual(asked.length);
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 120) },
    );
  });
});
