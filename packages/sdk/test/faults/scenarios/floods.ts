import { faults } from '@coxswain/testkit';
import { assistant, ORDINARY } from '../../support/say.ts';
import { both, type Scenario } from '../scenario.ts';

const SMALL = { maxLineBytes: 65_536, graceMs: 300, interruptMs: 100, termMs: 100 };

/** Excessive output of several kinds. */
export const floods: readonly Scenario[] = [
  {
    id: 'flood-on-stdout',
    proves: ['Q-13', 'S-12'],
    what: '5,000 messages are sent as fast as they are read, with a buffer of 64 KiB',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.flood(5_000, 300).say('ok')),
    options: { limits: { bufferBytes: 65_536 } },
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'flood-before-the-handshake',
    proves: ['S-1', 'S-2'],
    what: '2,000 messages are sent before the first prompt',
    agent: (agent) => agent.fault(faults.flood(2_000)),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'flood-on-stderr',
    proves: ['R-5'],
    what: '5,000 lines are written to stderr',
    agent: (agent) =>
      agent.onPrompt('go', (turn) => turn.fault(faults.flood(5_000, { to: 'stderr', bytes: 100 })).say('ok')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'endless-line-on-stderr',
    proves: ['R-5'],
    what: '5 MB without a line end are written to stderr',
    agent: (agent) =>
      agent.onPrompt('go', (turn) => turn.fault(faults.endlessLine({ bytes: 5_000_000, to: 'stderr' })).say('ok')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'line-over-the-limit',
    proves: ['W-3'],
    what: 'a line has 200 KB, and the limit is 64 KiB',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.message({ type: 'user', x: 'x'.repeat(200_000) }).say('ok')),
    options: { limits: SMALL },
    query: { outcome: 'buffer-overflow' },
    session: { outcome: 'completed', text: 'ok', warnings: ['line-too-long'] },
  },
  {
    id: 'endless-line-on-stdout',
    proves: ['W-3', 'Q-12', 'S-7'],
    what: 'a line never ends',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.endlessLine()),
    options: { limits: { ...SMALL, interruptTimeoutMs: 200 }, timeoutMs: 3_000 },
    query: { outcome: 'buffer-overflow' },
    session: { outcome: 'timeout', state: 'failed' },
  },
  {
    id: 'endless-line-before-the-handshake',
    proves: ['W-3', 'S-1'],
    what: 'a line never ends, before the first prompt',
    agent: (agent) => agent.fault(faults.endlessLine()),
    options: { limits: { ...SMALL, startTimeoutMs: 1_000 } },
    query: { outcome: 'buffer-overflow' },
    session: { outcome: 'initialization-timeout', state: 'failed' },
  },
  {
    id: 'line-of-five-megabytes',
    proves: ['W-2', 'W-3'],
    what: 'a message has 5 MB',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.endlessLine(5_000_000).line('"}}').say('ok')),
    ...both({ outcome: 'completed', text: 'ok', warnings: ['long-line'] }),
  },
  {
    id: 'flood-of-garbage',
    proves: ['W-4'],
    what: '300 lines are not JSON',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.line(Array(300).fill('noise').join('\n')).say('ok')),
    query: { outcome: 'too-many-decode-errors', errors: ['json-decode', 4] },
    session: { outcome: 'completed', text: 'ok', warnings: ['undecodable-line', 300] },
  },
  {
    id: 'flood-after-the-result',
    proves: ['Q-8'],
    what: '500 messages follow the result',
    steps: [...ORDINARY, { out: [`${JSON.stringify(assistant('more'))}\n`, 500] }],
    query: {
      outcome: 'completed',
      text: 'done',
      warnings: ['unexpected-message-after-result', 10, 'output-after-end'],
    },
  },
  {
    id: 'flood-of-unknown-requests',
    proves: ['X-4'],
    what: '200 control requests are unknown',
    agent: (agent) =>
      agent.onPrompt('go', (turn) => {
        for (let n = 0; n < 200; n += 1) turn.fault(faults.strayRequest({ subtype: 'unheard_of' }, `stray-${n}`));
        return turn.say('ok');
      }),
    session: {
      outcome: 'completed',
      text: 'ok',
    },
  },
];
