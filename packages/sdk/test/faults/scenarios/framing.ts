import { faults } from '@coxswain/testkit';
import { both, type Scenario } from '../scenario.ts';

/** Lines that are cut, joined, terminated or padded in unusual ways. */
export const framing: readonly Scenario[] = [
  {
    id: 'crlf',
    proves: ['W-1'],
    what: 'lines end in CRLF',
    agent: (agent) => agent.fault(faults.crlf()),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'byte-order-mark',
    proves: ['W-1', 'W-4'],
    what: 'one line starts with a byte order mark',
    agent: (agent) => agent.fault(faults.byteOrderMark(), { when: 'prompt', nth: 1 }),
    query: { outcome: 'completed', text: 'ok', errors: ['json-decode'] },
    session: { outcome: 'completed', text: 'ok', warnings: ['undecodable-line'] },
  },
  {
    id: 'blank-lines',
    proves: ['W-1'],
    what: 'each line follows three blank lines',
    agent: (agent) => agent.fault(faults.blankLines(3)),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'cut-anywhere',
    proves: ['W-1'],
    what: 'output arrives in pieces of three bytes, cut inside characters',
    agent: (agent) => agent.fault(faults.split(3)).onPrompt('go', (turn) => turn.say('Grüße 🚣')),
    ...both({ outcome: 'completed', text: 'Grüße 🚣' }),
  },
  {
    id: 'all-at-once',
    proves: ['W-1'],
    what: 'all output of 30 ms arrives in one piece',
    agent: (agent) => agent.fault(faults.merged(30)),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'no-final-newline',
    proves: ['W-1', 'Q-7'],
    what: 'the result has no line end',
    agent: (agent) => agent.fault(faults.noFinalNewline(), { when: 'prompt', nth: 1 }),
    query: { outcome: 'completed', text: 'ok' },
  },
  {
    id: 'half-a-line-then-exit-0',
    proves: ['Q-7'],
    what: 'the CLI exits with 0 in the middle of a line',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.unfinishedLine('{"type":"assi').exit(0)),
    query: { outcome: 'no-result', warnings: ['incomplete-last-line', 'clean-exit-no-result'] },
    session: { outcome: 'process', state: 'failed' },
  },
  {
    id: 'half-a-line-then-exit-1',
    proves: ['Q-5'],
    what: 'the CLI exits with 1 in the middle of a line',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.unfinishedLine('{"type":"assi').exit(1)),
    query: { outcome: 'process', error: { exitCode: 1, lastNonJsonLine: '{"type":"assi' } },
    session: { outcome: 'process', state: 'failed', error: { exitCode: 1 } },
  },
  {
    id: 'half-a-line-joined-by-the-next',
    proves: ['W-4'],
    what: 'half a line is followed by a whole line, without a line end between them',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.unfinishedLine('{"type":"assi').say('hidden').say('seen')),
    query: { outcome: 'completed', errors: ['json-decode'] },
    session: { outcome: 'completed', warnings: ['undecodable-line'] },
  },
];
