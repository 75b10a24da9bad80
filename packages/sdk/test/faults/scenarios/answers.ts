import { faults } from '@coxswain/testkit';
import { expect } from 'vitest';
import { both, type Scenario, SPILL } from '../scenario.ts';

const QUICK = { controlTimeoutMs: 300, interruptTimeoutMs: 300 };

/** Sends a request during the turn, and notes its outcome. */
const ask: NonNullable<Scenario['during']> = async (session, notes) => {
  await session.setMaxThinkingTokens(1_000).then(
    () => notes.push('done'),
    (error: { code: string }) => notes.push(error.code),
  );
};

/** Interrupts the turn once it runs. */
const interrupt: NonNullable<Scenario['during']> = async (session, notes) => {
  for await (const { type } of session.events()) if (type === 'turn-started') break;
  await session.interrupt().then(
    () => notes.push('interrupted'),
    (error: { code: string }) => notes.push(error.code),
  );
};

/** Answers and results that are missing, duplicate, late, or meant for another run. */
export const answers: readonly Scenario[] = [
  {
    id: 'answer-missing',
    proves: ['X-1', 'X-2'],
    what: 'a control request is never answered',
    agent: (agent) => agent.fault(faults.answers('set_max_thinking_tokens', 'missing')),
    options: { limits: QUICK },
    during: ask,
    session: { outcome: 'completed', text: 'ok', notes: ['control-timeout'] },
  },
  {
    id: 'answer-late',
    proves: ['X-2'],
    what: 'a control request is answered after its timeout',
    agent: (agent) => agent.fault(faults.answers('set_max_thinking_tokens', 'late', 450)),
    options: { limits: QUICK },
    during: ask,
    session: { outcome: 'completed', text: 'ok', notes: ['control-timeout'] },
  },
  {
    id: 'answer-twice',
    proves: ['X-2'],
    what: 'a control request is answered twice',
    agent: (agent) => agent.fault(faults.answers('set_max_thinking_tokens', 'double')),
    during: ask,
    session: { outcome: 'completed', text: 'ok', notes: ['done'] },
  },
  {
    id: 'answer-error',
    proves: ['X-2'],
    what: 'a control request is refused',
    agent: (agent) => agent.fault(faults.answers('set_max_thinking_tokens', 'error')),
    during: ask,
    session: { outcome: 'completed', text: 'ok', notes: ['control-request'] },
  },
  {
    id: 'answer-error-with-secrets',
    proves: ['X-2', 'C-10'],
    what: 'a control request is refused with a message that contains the secrets',
    agent: (agent) => agent.onRequest('set_max_thinking_tokens', { error: `not with ${SPILL}` }),
    during: async (session, notes) => {
      await session.setMaxThinkingTokens(1_000).catch((error: Error) => notes.push(error.message));
    },
    session: {
      outcome: 'completed',
      text: 'ok',
      notes: [expect.stringContaining('not with [redacted] / [redacted] / [redacted] / [redacted] / [redacted]')],
    },
  },
  {
    id: 'answer-garbage',
    proves: ['X-2'],
    what: 'a control request is answered with garbage',
    agent: (agent) => agent.fault(faults.answers('set_max_thinking_tokens', 'garbage')),
    options: { limits: QUICK },
    during: ask,
    session: { outcome: 'completed', text: 'ok', notes: ['control-timeout'], warnings: ['undecodable-line'] },
  },
  {
    id: 'answer-malformed',
    proves: ['X-2'],
    what: 'a control request is answered without an id',
    agent: (agent) => agent.fault(faults.answers('set_max_thinking_tokens', 'malformed')),
    options: { limits: QUICK },
    during: ask,
    session: { outcome: 'completed', text: 'ok', notes: ['control-timeout'], warnings: ['malformed-control-frame'] },
  },
  {
    id: 'answer-to-no-request',
    proves: ['X-2'],
    what: 'a request that was never sent is answered',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.strayAnswer('req_999')).say('ok')),
    query: { outcome: 'completed', text: 'ok', warnings: ['unknown-message-type'] },
    session: { outcome: 'completed', text: 'ok' },
  },
  {
    id: 'answer-too-early',
    proves: ['X-2', 'S-1'],
    what: 'requests are answered before they are sent',
    agent: (agent) => agent.fault(faults.strayAnswer('req_2')).fault(faults.strayAnswer('req_3')),
    during: ask,
    session: { outcome: 'completed', text: 'ok', notes: ['done'] },
  },
  {
    id: 'request-without-id',
    proves: ['X-4'],
    what: 'the CLI sends a request without an id',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn.line('{"type":"control_request","request":{"subtype":"can_use_tool"}}').say('ok'),
      ),
    session: { outcome: 'completed', text: 'ok', warnings: ['malformed-control-frame'] },
  },
  {
    id: 'request-without-body',
    proves: ['X-4'],
    what: 'the CLI sends a request without a body',
    agent: (agent) =>
      agent.onPrompt('go', (turn) => turn.line('{"type":"control_request","request_id":"x"}').say('ok')),
    session: { outcome: 'completed', text: 'ok', warnings: ['malformed-control-frame'] },
  },
  {
    id: 'cancel-of-nothing',
    proves: ['H-8'],
    what: 'the CLI withdraws requests that it never sent',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .line('{"type":"control_cancel_request","request_id":"x"}')
          .line('{"type":"control_cancel_request"}')
          .line('{"type":"control_cancel_request","request_id":{}}')
          .say('ok'),
      ),
    query: { outcome: 'completed', text: 'ok', warnings: ['unknown-message-type'] },
    session: { outcome: 'completed', text: 'ok' },
  },
  {
    id: 'hook-not-registered',
    proves: ['H-8'],
    what: 'the CLI calls a hook that is not registered',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .fault(
            faults.strayRequest({
              subtype: 'hook_callback',
              callback_id: 'hook_99',
              input: { hook_event_name: 'PreToolUse' },
            }),
          )
          .say('ok'),
      ),
    session: { outcome: 'completed', text: 'ok', warnings: ['unknown-hook'] },
  },
  {
    id: 'permission-without-callback',
    proves: ['P-3', 'X-4'],
    what: 'the CLI requests a permission without canUseTool',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn.fault(faults.strayRequest({ subtype: 'can_use_tool', tool_name: 'Bash', input: {} })).say('ok'),
      ),
    session: {
      outcome: 'completed',
      text: 'ok',
      warnings: ['permission-failed'],
      got: ({ frames }) => expectAnswer(frames, { behavior: 'deny' }),
    },
  },
  {
    id: 'result-twice',
    proves: ['Q-8', 'S-3'],
    what: 'the result arrives twice',
    agent: (agent) => agent.fault(faults.results('double')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'result-late',
    proves: ['Q-8', 'S-3'],
    what: 'the result arrives 200 ms late',
    agent: (agent) => agent.fault(faults.results('late', 200)),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'result-missing',
    proves: ['Q-7', 'Q-12', 'S-7'],
    what: 'the result is missing: a one-shot CLI exits with 0, a session keeps running',
    agent: (agent) => agent.fault(faults.results('missing'), { when: 'prompt', nth: 1 }),
    options: { timeoutMs: 1_500, limits: { ...QUICK, graceMs: 300, termMs: 300 } },
    query: { outcome: 'no-result', warnings: ['clean-exit-no-result'] },
    session: { outcome: 'timeout', state: 'failed' },
  },
  {
    id: 'result-missing-after-an-interrupt',
    proves: ['S-7'],
    what: 'the CLI answers an interrupt but sends no result',
    agent: (agent) =>
      agent
        .onRequest('interrupt', { response: { still_queued: [] } })
        .onPrompt('go', (turn) => turn.say('half').silence()),
    options: { limits: { ...QUICK, graceMs: 300, termMs: 300 } },
    during: interrupt,
    session: { outcome: 'turn-stuck', state: 'failed', notes: ['interrupted'] },
  },
  {
    id: 'result-of-another-run',
    proves: ['S-3'],
    what: 'a result names a prompt that was never sent, and the right one follows',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .message({
            type: 'result',
            subtype: 'success',
            is_error: false,
            result: 'not yours',
            user_message_uuids: ['x'],
          })
          .say('ok'),
      ),
    session: { outcome: 'completed', text: 'ok' },
  },
  {
    id: 'result-says-nothing',
    proves: ['M-3', 'M-4'],
    what: 'the result has only a type',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.line('{"type":"result"}').fault(faults.results('missing'))),
    query: { outcome: 'outcome:unknown' },
  },
  {
    id: 'api-fails',
    proves: ['M-3', 'Q-4'],
    what: 'the API fails: the result is an error, and the CLI exits with 1',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.apiError(500)),
    ...both({ outcome: 'outcome:api-error' }),
  },
];

function expectAnswer(frames: readonly Readonly<Record<string, unknown>>[], response: object): void {
  const answer = frames.find(({ type }) => type === 'control_response');
  if (JSON.stringify(answer?.response).includes(JSON.stringify(response).slice(1, -1))) return;
  throw new Error(`The answer was ${JSON.stringify(answer)}`);
}
