import { faults } from '@coxswain/testkit';
import { PINNED_VERSION } from '../../../src/cli/version.ts';
import type { AgentOptions } from '../../../src/options/option-types.ts';
import { type Expected, type Scenario, SECRETS, SPILL } from '../scenario.ts';

/** A hook makes a query two-way, so that it also has a handshake. */
const TWO_WAY: AgentOptions = { hooks: { Stop: () => undefined } };
const QUICK = { graceMs: 300, termMs: 300, interruptMs: 100 };

/** The same failure for a query and for the start of a session. */
const fails = (outcome: string, more: Partial<Expected> = {}): Pick<Scenario, 'query' | 'session'> => ({
  query: { outcome, ...more },
  session: { outcome, state: 'failed', ...more },
});
const works: Pick<Scenario, 'query' | 'session'> = {
  query: { outcome: 'completed', text: 'ok' },
  session: { outcome: 'completed', text: 'ok' },
};

/** Failed starts of every kind. */
export const handshake: readonly Scenario[] = [
  {
    id: 'handshake-silent',
    place: 'memory',
    proves: ['S-1'],
    what: 'the handshake is never answered',
    agent: (agent) => agent.fault(faults.answers('initialize', 'missing')),
    options: { ...TWO_WAY, limits: { ...QUICK, startTimeoutMs: 300 } },
    ...fails('initialization-timeout', { withinMs: 4_000 }),
  },
  {
    id: 'handshake-refused',
    proves: ['S-1'],
    what: 'the handshake is refused',
    agent: (agent) => agent.fault(faults.answers('initialize', 'error')),
    options: TWO_WAY,
    ...fails('initialization'),
  },
  {
    id: 'handshake-refused-with-secrets',
    proves: ['S-1', 'C-10'],
    what: 'the handshake is refused with a message that contains the secrets',
    agent: (agent) => agent.onRequest('initialize', { error: `no access with ${SPILL}` }),
    options: TWO_WAY,
    ...fails('initialization'),
  },
  {
    id: 'handshake-garbage',
    place: 'memory',
    proves: ['S-1', 'W-4'],
    what: 'the handshake is answered with a line that is not JSON',
    agent: (agent) => agent.fault(faults.answers('initialize', 'garbage')),
    options: { ...TWO_WAY, limits: { ...QUICK, startTimeoutMs: 300 } },
    query: { outcome: 'initialization-timeout', errors: ['json-decode'] },
    session: { outcome: 'initialization-timeout', warnings: ['undecodable-line'], state: 'failed' },
  },
  {
    id: 'handshake-malformed',
    place: 'memory',
    proves: ['S-1', 'X-2'],
    what: 'the handshake is answered without an id',
    agent: (agent) => agent.fault(faults.answers('initialize', 'malformed')),
    options: { ...TWO_WAY, limits: { ...QUICK, startTimeoutMs: 300 } },
    ...fails('initialization-timeout', { warnings: ['malformed-control-frame'] }),
  },
  {
    id: 'handshake-twice',
    proves: ['X-2', 'S-2'],
    what: 'the handshake is answered twice',
    agent: (agent) => agent.fault(faults.answers('initialize', 'double')),
    options: TWO_WAY,
    ...works,
  },
  {
    id: 'handshake-late',
    proves: ['S-1'],
    what: 'the handshake is answered after 400 ms',
    agent: (agent) => agent.fault(faults.answers('initialize', 'late', 400)),
    options: TWO_WAY,
    ...works,
  },
  {
    id: 'handshake-says-nonsense',
    proves: ['S-5'],
    what: 'the answer to the handshake has numbers and nulls instead of lists',
    agent: (agent) =>
      agent.initializeWith({ commands: 7, models: null, agents: { length: 2 }, account: 'x', output_style: [] }),
    options: TWO_WAY,
    ...works,
  },
  ...[0, 1, 3].map((code): Scenario => {
    return {
      id: `handshake-exit-${code}`,
      proves: ['S-1', 'S-10', 'O-7'],
      what: `the CLI exits with ${code} instead of answering the handshake`,
      agent: (agent) => agent.fault(faults.exit(code), { when: 'request:initialize' }),
      options: TWO_WAY,
      query:
        code === 0
          ? { outcome: 'no-result', warnings: ['empty-response'], withinMs: 4_000 }
          : { outcome: 'process', error: { exitCode: code }, withinMs: 4_000 },
      session: { outcome: 'cli-exited-during-init', state: 'failed', error: { exitCode: code }, withinMs: 4_000 },
    };
  }),
  {
    id: 'handshake-killed',
    proves: ['S-1', 'S-10'],
    what: 'the CLI is killed instead of answering the handshake',
    agent: (agent) => agent.fault(faults.crash('SIGKILL'), { when: 'request:initialize' }),
    options: TWO_WAY,
    query: { outcome: 'process', error: { signal: 'SIGKILL' } },
    session: { outcome: 'cli-exited-during-init', state: 'failed', error: { signal: 'SIGKILL' } },
  },
  {
    id: 'exit-at-once-with-words',
    proves: ['S-1', 'C-10'],
    what: 'the CLI exits immediately, and its last output contains secrets',
    agent: (agent) => agent.fault(faults.stderr(`Error: cannot use ${SPILL}\n`)).fault(faults.exit(1)),
    options: TWO_WAY,
    query: { outcome: 'process', error: { exitCode: 1 } },
    session: { outcome: 'cli-exited-during-init', state: 'failed', error: { exitCode: 1 } },
  },
  {
    id: 'handshake-stdout-closed',
    proves: ['S-10', 'Q-9'],
    what: 'the CLI closes its stdout instead of answering the handshake',
    agent: (agent) => agent.fault(faults.close('stdout'), { when: 'request:initialize' }),
    options: { ...TWO_WAY, limits: { ...QUICK, exitReadMs: 100 } },
    ...fails('transport'),
  },
  {
    id: 'handshake-requests-first',
    proves: ['S-2', 'X-4'],
    what: 'the CLI sends a request before it answers the handshake',
    agent: (agent) =>
      agent
        .fault(faults.strayRequest({ subtype: 'unheard_of' }, 'early-1'), { when: 'request:initialize' })
        .fault(faults.answers('initialize', 'late', 100)),
    options: TWO_WAY,
    ...works,
  },
  {
    id: 'not-an-executable',
    proves: ['C-3'],
    what: 'the CLI is a file that is not executable',
    options: { ...TWO_WAY, cli: '/etc/passwd' },
    ...fails('cli-not-found', { got: false, withinMs: 3_000 }),
  },
  {
    id: 'cli-is-a-directory',
    proves: ['C-3'],
    what: 'the CLI is a directory',
    options: { ...TWO_WAY, cli: '/etc' },
    ...fails('cli-not-found', { got: false, withinMs: 3_000 }),
  },
  {
    id: 'cwd-missing',
    proves: ['C-11'],
    what: 'the working directory does not exist',
    options: { ...TWO_WAY, cwd: '/nowhere/at/all' },
    ...fails('spawn', { got: false, error: { reason: 'cwd' }, withinMs: 3_000 }),
  },
  {
    id: 'version-too-old',
    proves: ['C-4'],
    what: 'the CLI reports a version that is far too old',
    agent: (agent) => agent.version('0.9.1'),
    options: { ...TWO_WAY, versionCheck: undefined },
    ...fails('unsupported-cli-version'),
  },
  {
    id: 'version-garbage',
    proves: ['C-4', 'C-10'],
    what: 'the CLI prints secrets instead of a version',
    // Requests during the probe wait for it.
    agent: (agent) =>
      agent.versionOutput(`no licence for ${SECRETS.apiKey}, ${SECRETS.shaped}\n`).fault(faults.slow(10_000)),
    options: { versionCheck: undefined, limits: QUICK },
    query: { outcome: 'unknown-version' },
  },
  {
    id: 'version-garbage-in-a-session',
    proves: ['C-4', 'C-10'],
    what: 'the CLI prints secrets instead of a version, and the session continues',
    agent: (agent) =>
      agent
        .versionOutput(`no licence for ${SECRETS.apiKey}, ${SECRETS.shaped}\n`)
        .fault(faults.answers('initialize', 'late', 2_000)),
    options: { versionCheck: undefined, limits: { versionTimeoutMs: 30_000 } },
    session: { outcome: 'completed', text: 'ok', warnings: ['unknown-cli-version'] },
  },
  {
    id: 'version-hangs',
    proves: ['C-4'],
    what: 'the CLI does not report its version',
    agent: (agent) => agent.versionOutput(`${PINNED_VERSION}\n`, { delayMs: 60_000 }).fault(faults.slow(2_000)),
    options: { versionCheck: undefined, limits: { ...QUICK, versionTimeoutMs: 300 } },
    query: { outcome: 'version-detection' },
  },
  {
    id: 'version-hangs-in-a-session',
    proves: ['C-4'],
    what: 'the CLI does not report its version, and the session continues',
    agent: (agent) =>
      agent.versionOutput(`${PINNED_VERSION}\n`, { delayMs: 60_000 }).fault(faults.answers('initialize', 'late', 900)),
    options: { versionCheck: undefined, limits: { versionTimeoutMs: 300 } },
    session: { outcome: 'completed', text: 'ok', warnings: ['version-check-failed'] },
  },
];
