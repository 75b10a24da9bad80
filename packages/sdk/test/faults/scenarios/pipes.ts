import { faults } from '@coxswain/testkit';
import { programPath } from '../../support/programs.ts';
import { ORDINARY, STUBBORN } from '../../support/say.ts';
import { both, type Scenario } from '../scenario.ts';

const QUICK = { graceMs: 300, termMs: 300, interruptMs: 100, exitReadMs: 200, interruptTimeoutMs: 300, drainMs: 200 };
const TWO_WAY = { hooks: { Stop: () => undefined } };

/** Pipes that close, fill up or are held open, and processes that do not exit. */
export const pipes: readonly Scenario[] = [
  {
    id: 'stdin-closed-at-once',
    proves: ['S-13', 'Q-6'],
    what: 'the CLI closes its stdin and continues its work',
    steps: [{ out: '' }, ...ORDINARY],
    prompt: 'x'.repeat(2_000_000),
    query: { outcome: 'completed', text: 'done' },
  },
  {
    id: 'stdin-closed-mid-turn',
    proves: ['S-13', 'E-4'],
    what: 'the CLI closes its stdin in the middle of a turn, and another prompt follows',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.close('stdin')).say('ok')),
    options: { limits: QUICK },
    query: { outcome: 'completed', text: 'ok' },
  },
  {
    id: 'never-reads',
    proves: ['S-13', 'Q-12'],
    what: 'the CLI never reads its stdin, and the prompt has 2 MB',
    agent: (agent) => agent.fault(faults.deaf()),
    prompt: 'x'.repeat(2_000_000),
    options: { timeoutMs: 900, limits: QUICK },
    query: { outcome: 'timeout' },
  },
  {
    id: 'stops-reading',
    proves: ['S-13', 'S-7'],
    what: 'the CLI stops reading after the handshake, and the prompt has 2 MB',
    agent: (agent) => agent.fault(faults.deaf(), { when: 'request:initialize' }),
    prompt: 'x'.repeat(2_000_000),
    options: { ...TWO_WAY, timeoutMs: 900, limits: QUICK },
    query: { outcome: 'timeout' },
    // The start waits 5 s for the settings in force, and the interrupt has 5 s to end the turn.
    session: { outcome: 'timeout', state: 'failed', withinMs: 14_000 },
  },
  {
    id: 'stdout-closed-mid-turn',
    proves: ['Q-9', 'S-10'],
    what: 'the CLI closes its stdout in the middle of a turn and keeps running',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').closeStdout().silence()),
    options: { limits: QUICK },
    query: { outcome: 'transport' },
    session: { outcome: 'transport', state: 'failed' },
  },
  {
    id: 'stderr-closed',
    proves: ['R-5'],
    what: 'the CLI closes its stderr',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.close('stderr')).say('ok')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'pipe-held-after-the-end',
    proves: ['Q-9', 'R-1', 'R-3'],
    what: 'a process of the CLI holds the pipes open after the CLI has exited',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.say('ok').holdPipe(60_000)),
    options: { limits: QUICK },
    session: { outcome: 'completed', text: 'ok' },
  },
  {
    id: 'pipe-held-after-a-crash',
    proves: ['Q-9', 'R-1', 'R-3', 'S-10'],
    what: 'the CLI is killed, and one of its processes holds the pipes open',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').holdPipe(60_000).crash()),
    options: { limits: QUICK },
    query: { outcome: 'process', error: { signal: 'SIGKILL' } },
    session: { outcome: 'process', state: 'failed', error: { signal: 'SIGKILL' } },
  },
  {
    id: 'grandchild-in-a-session-of-its-own',
    proves: ['R-1', 'R-3', 'Q-9'],
    what: 'a tool in a separate session is running when the CLI is ended',
    options: { cli: programPath('starts-bash-in-own-session.mjs'), timeoutMs: 2_500, limits: QUICK },
    query: { outcome: 'timeout', errors: ['json-decode'] },
  },
  {
    id: 'grandchild-outlives-a-killed-cli',
    proves: ['R-1', 'R-3'],
    what: 'the CLI kills itself and leaves a tool in a separate session',
    steps: [{ grandchild: [] }, { kill: 'KILL' }],
    options: { limits: QUICK },
    query: { outcome: 'process', error: { signal: 'SIGKILL' } },
  },
];

/** Ending a CLI that ignores requests to exit. */
export const stubborn: readonly Scenario[] = [
  {
    id: 'ignores-sigint',
    proves: ['R-2', 'Q-12'],
    what: 'the CLI hangs and ignores SIGINT',
    steps: [{ ignore: ['INT'] }, { stay: true }],
    options: { timeoutMs: 1_200, limits: QUICK },
    query: { outcome: 'timeout', exit: { ended: 'terminated', signal: 'SIGTERM' }, withinMs: 4_000 },
  },
  {
    id: 'ignores-all-but-sigkill',
    proves: ['R-2', 'Q-12'],
    what: 'the CLI hangs and ignores every signal that it can ignore',
    steps: [STUBBORN, { stay: true }],
    options: { timeoutMs: 1_200, limits: QUICK },
    query: { outcome: 'timeout', exit: { ended: 'killed', signal: 'SIGKILL' }, withinMs: 4_000 },
  },
  {
    id: 'does-not-leave-after-the-result',
    proves: ['Q-8', 'R-2'],
    what: 'the CLI ignores every signal after its result and does not exit',
    steps: [STUBBORN, ...ORDINARY, { stay: true }],
    options: { limits: QUICK },
    query: { outcome: 'completed', text: 'done', exit: { ended: 'killed' }, withinMs: 4_000 },
  },
  {
    id: 'ignores-eof-and-end-session',
    proves: ['S-9', 'R-2'],
    what: 'the CLI ignores end_session, interrupt and the end of its input',
    agent: (agent) => agent.ignore('end_session', 'interrupt', 'EOF'),
    options: { limits: { ...QUICK, termMs: 5_000 } },
    session: { outcome: 'completed', text: 'ok', exit: { ended: 'terminated' }, withinMs: 6_000 },
  },
  {
    id: 'ignores-everything',
    proves: ['S-9', 'R-2'],
    what: 'the CLI ignores all requests and signals',
    agent: (agent) => agent.ignore('end_session', 'interrupt', 'EOF', 'SIGINT', 'SIGTERM', 'SIGHUP'),
    options: { limits: QUICK },
    session: { outcome: 'completed', text: 'ok', exit: { ended: 'killed', signal: 'SIGKILL' }, withinMs: 6_000 },
  },
  {
    id: 'ignores-everything-mid-turn',
    proves: ['S-7', 'R-2'],
    what: 'a turn never ends, and the CLI ignores all requests and signals',
    agent: (agent) =>
      agent
        .ignore('end_session', 'interrupt', 'EOF', 'SIGINT', 'SIGTERM', 'SIGHUP')
        .onPrompt('go', (turn) => turn.say('half').silence()),
    options: { timeoutMs: 500, limits: QUICK },
    session: { outcome: 'timeout', state: 'failed', exit: { ended: 'killed' }, withinMs: 6_000 },
  },
  {
    id: 'turn-hangs-but-listens',
    proves: ['S-7'],
    what: 'a turn ends only when the CLI is interrupted',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').silence()),
    options: { timeoutMs: 1_500 },
    session: { outcome: 'timeout' },
  },
  {
    id: 'silent',
    proves: ['Q-12'],
    what: 'the CLI sends nothing for longer than idleTimeoutMs',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').silence()),
    options: { idleTimeoutMs: 1_500, limits: { ...QUICK, interruptTimeoutMs: 5_000 } },
    query: { outcome: 'timeout' },
    session: { outcome: 'timeout' },
  },
  {
    id: 'slow-everything',
    proves: ['Q-12', 'S-1'],
    what: 'every write arrives 40 ms late',
    agent: (agent) => agent.fault(faults.slow(40)),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'slow-bytes',
    proves: ['W-1', 'Q-12'],
    what: 'output arrives byte by byte, and idleTimeoutMs is short',
    agent: (agent) => agent.fault(faults.split(1)),
    options: { idleTimeoutMs: 4_000 },
    ...both({ outcome: 'completed', text: 'ok' }),
  },
];
