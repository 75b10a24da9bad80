import { faults } from '@coxswain/testkit';
import { allow } from '../../../src/callbacks/decisions.ts';
import type { AgentOptions } from '../../../src/options/option-types.ts';
import { both, type Scenario, SPILL } from '../scenario.ts';

/** A hook, a permission and an in-process tool, so that every phase occurs. */
const EVERYTHING: AgentOptions = {
  hooks: { PreToolUse: () => undefined },
  canUseTool: () => allow(),
  mcpServers: { calc: ({ method }) => (method === 'tools/list' ? { result: { tools: [ADD] } } : { result: {} }) },
};
const ADD = { name: 'add', inputSchema: { type: 'object' } };
const busy: NonNullable<Scenario['agent']> = (agent) =>
  agent.onPrompt('go', (turn) =>
    turn
      .useTool('Write', { file_path: 'a', content: '' }, { permission: 'ask' })
      .useTool('mcp__calc__add', { a: 1 })
      .say('ok'),
  );

/** Exits and crashes in every phase. */
export const exits: readonly Scenario[] = [
  ...[1, 2, 126, 127, 137, 143, 255].map((code): Scenario => {
    return {
      id: `exit-${code}-mid-turn`,
      proves: ['Q-5', 'S-10'],
      what: `the CLI exits with ${code} in the middle of a turn`,
      agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').exit(code)),
      query: { outcome: 'process', error: { exitCode: code, signal: null }, withinMs: 4_000 },
      session: { outcome: 'process', state: 'failed', error: { exitCode: code }, withinMs: 4_000 },
    };
  }),
  {
    id: 'exit-0-mid-turn',
    proves: ['Q-7', 'S-10'],
    what: 'the CLI exits with 0 in the middle of a turn',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').exit(0)),
    query: { outcome: 'no-result', warnings: ['clean-exit-no-result'] },
    session: { outcome: 'process', state: 'failed', error: { exitCode: 0 } },
  },
  {
    id: 'exit-0-without-a-word',
    proves: ['Q-7'],
    what: 'the CLI exits with 0 without any output',
    agent: (agent) => agent.fault(faults.exit(0)),
    query: { outcome: 'no-result', warnings: ['empty-response'] },
    session: { outcome: 'cli-exited-during-init', state: 'failed', error: { exitCode: 0 } },
  },
  ...(['SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGABRT', 'SIGHUP'] as const).map((signal): Scenario => {
    return {
      id: `${signal.toLowerCase()}-mid-turn`,
      proves: ['Q-5', 'S-10'],
      what: `the CLI is killed by ${signal} in the middle of a turn`,
      agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').crash({ signal })),
      query: { outcome: 'process', error: { exitCode: null, signal }, withinMs: 4_000 },
      session: { outcome: 'process', state: 'failed', error: { signal }, withinMs: 4_000 },
    };
  }),
  ...(['prompt', 'hook', 'permission', 'tool-call'] as const).map((when): Scenario => {
    return {
      id: `killed-at-${when}`,
      proves: ['S-10', 'E-4'],
      what: `the CLI is killed while this is open: ${when}`,
      agent: (agent) => busy(agent.fault(faults.crash('SIGKILL'), { when })),
      options: EVERYTHING,
      query: { outcome: 'process', error: { signal: 'SIGKILL' } },
      session: { outcome: 'process', state: 'failed', error: { signal: 'SIGKILL' } },
    };
  }),
  {
    id: 'killed-after-the-result',
    proves: ['Q-4', 'S-10'],
    what: 'the CLI is killed right after the result',
    agent: (agent) => agent.fault(faults.crash('SIGKILL'), { when: 'result' }),
    query: { outcome: 'completed', text: 'ok', warnings: ['non-zero-exit-after-result'] },
    session: { outcome: 'completed', text: 'ok', state: 'failed' },
  },
  {
    id: 'exit-3-after-the-result',
    proves: ['Q-4', 'S-10'],
    what: 'the CLI exits with 3 right after the result',
    agent: (agent) => agent.fault(faults.exit(3), { when: 'result' }),
    query: { outcome: 'completed', text: 'ok', warnings: ['non-zero-exit-after-result'] },
    session: { outcome: 'completed', text: 'ok', state: 'failed' },
  },
  {
    id: 'exit-3-after-the-result-strict',
    proves: ['Q-4'],
    what: 'the CLI exits with 3 right after the result, with strictExit',
    agent: (agent) => agent.fault(faults.exit(3), { when: 'result' }),
    options: { strictExit: true },
    query: { outcome: 'process', error: { exitCode: 3 } },
  },
  {
    id: 'exit-0-after-the-result',
    proves: ['S-9'],
    what: 'the CLI exits with 0 right after the result',
    agent: (agent) => agent.fault(faults.exit(0), { when: 'result' }),
    query: { outcome: 'completed', text: 'ok' },
    session: { outcome: 'completed', text: 'ok', state: 'ended' },
  },
  {
    id: 'dies-with-secrets-on-stderr',
    proves: ['Q-5', 'C-10', 'R-5'],
    what: 'the CLI dies with secrets on stderr, without a line end',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.stderr(`fatal: ${SPILL}`).exit(1)),
    query: { outcome: 'process', error: { exitCode: 1 } },
    session: { outcome: 'process', state: 'failed', error: { exitCode: 1 } },
  },
  {
    id: 'dies-with-secrets-cut-on-stderr',
    proves: ['Q-5', 'C-10', 'R-5'],
    what: 'a secret on stderr arrives in two pieces, and the tail starts within another',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .stderr(`fatal: ${SPILL.slice(0, 10)}`)
          .wait(30)
          .stderr(`${SPILL.slice(10)}\n${SPILL}\n`.repeat(120))
          .exit(1),
      ),
    query: { outcome: 'process', error: { exitCode: 1 } },
    session: { outcome: 'process', state: 'failed', error: { exitCode: 1 } },
  },
  {
    id: 'host-signal-aborts',
    proves: ['Q-12'],
    what: "the caller's signal is aborted before the start",
    options: { signal: AbortSignal.abort(new Error('changed my mind')) },
    query: { outcome: 'abort', got: false },
    session: { outcome: 'abort', state: 'failed', got: false },
  },
  {
    id: 'no-fault-at-all',
    proves: ['R-4', 'E-4'],
    what: 'the run has no fault',
    ...both({ outcome: 'completed', text: 'ok' }),
  },
];
