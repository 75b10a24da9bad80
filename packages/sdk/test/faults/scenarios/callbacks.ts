import { faults } from '@coxswain/testkit';
import { allow, decideLater, deny } from '../../../src/callbacks/decisions.ts';
import type { AgentOptions } from '../../../src/options/option-types.ts';
import { both, type Expected, type Got, type Scenario, SPILL, type World } from '../scenario.ts';

const never = (): Promise<never> => new Promise(() => {});
const QUICK = { hookTimeoutMs: 250, permissionTimeoutMs: 250, toolCallTimeoutMs: 250, toolRequestTimeoutMs: 400 };

/** A turn with one tool call that needs a permission. */
export const writes: NonNullable<Scenario['agent']> = (agent) =>
  agent.onPrompt('go', (turn) =>
    turn.useTool('Write', { file_path: 'a', content: '' }, { permission: 'ask' }).say('ok'),
  );
const calls: NonNullable<Scenario['agent']> = (agent) =>
  agent.onPrompt('go', (turn) => turn.useTool('mcp__calc__add', { a: 1 }).say('ok'));

const tool = (outcome: string) => (run: Got) => {
  const outcomes = run.tools.map((used) => used.outcome);
  if (outcomes.join() !== outcome) throw new Error(`The tool was ${outcomes.join()}, not ${outcome}`);
};
const rpcError = (code: number) => (run: Got) => {
  const replies = JSON.stringify(run.frames.filter(({ type }) => type === 'control_response'));
  if (!replies.includes(`"code":${code}`)) throw new Error(`The CLI received ${replies}`);
};
export const ran: Partial<Expected> = { got: tool('ran') };
export const refused: Partial<Expected> = { got: tool('refused') };

/** Any value that a careless callback may return or throw; the compiler would refuse it. */
const wild = (value: unknown): never => value as never;
const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
const untellable = {
  toString(): string {
    throw new Error('not even that');
  },
};

/** A guard hook and a canUseTool that allows: the tool may run unless the hook blocks it. */
export const guard = (run: (world: World) => unknown): Scenario['options'] => {
  return (world) => ({
    limits: QUICK,
    hooks: { PreToolUse: () => wild(run(world)) },
    canUseTool: () => allow(),
  });
};
const asks = (run: (world: World) => unknown): Scenario['options'] => {
  return (world) => ({ limits: QUICK, canUseTool: () => wild(run(world)) });
};
const serves = (run: (world: World) => unknown): Scenario['options'] => {
  return (world) => ({
    limits: QUICK,
    mcpServers: {
      calc: ({ method }) => {
        if (method === 'tools/list') return { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } };
        return method === 'tools/call' ? wild(run(world)) : { result: {} };
      },
    },
  });
};

const opens: Expected = { outcome: 'completed', text: 'ok', warnings: ['hook-failed'], ...ran };
const blocks: Expected = { outcome: 'completed', text: 'ok', warnings: ['hook-failed'], ...refused };
const denies: Expected = {
  outcome: 'completed',
  text: 'ok',
  warnings: ['permission-failed', 'permission-denied'],
  ...refused,
};

/** Faulty hooks, permissions and observers. */
export const callbacks: readonly Scenario[] = [
  {
    id: 'hook-throws',
    proves: ['H-7', 'E-4', 'C-10'],
    what: 'a guard throws an error that contains secrets: the tool runs by default',
    agent: writes,
    options: guard(() => {
      throw new Error(`cannot reach the database with ${SPILL}`);
    }),
    ...both(opens),
  },
  {
    id: 'hook-throws-blocking',
    proves: ['H-7', 'E-4'],
    what: "a guard with onFailure: 'block' throws",
    agent: writes,
    options: {
      hooks: {
        PreToolUse: [
          {
            run: () => {
              throw new Error('oh');
            },
            onFailure: 'block',
          },
        ],
      },
      canUseTool: () => allow(),
    },
    ...both({ ...blocks, warnings: ['hook-failed', 'permission-denied'] }),
  },
  {
    id: 'hook-rejects-with-nothing',
    proves: ['H-7', 'E-4'],
    what: 'a guard rejects with undefined',
    agent: writes,
    options: guard(() => Promise.reject()),
    ...both(opens),
  },
  {
    id: 'hook-throws-the-untellable',
    proves: ['H-7', 'E-4'],
    what: 'a guard throws something whose toString throws',
    agent: writes,
    options: guard(() => {
      throw untellable;
    }),
    ...both(opens),
  },
  ...Object.entries({ number: 7n, text: 'yes', function: () => {}, cycle: cyclic, list: [] }).map(
    ([kind, value]): Scenario => ({
      id: `hook-returns-${kind}`,
      proves: ['H-7', 'E-4'],
      what: `a guard returns an invalid value: ${kind}`,
      agent: writes,
      options: guard(() => value),
      ...both({ ...blocks, warnings: ['hook-failed', 'permission-denied'] }),
    }),
  ),
  {
    id: 'hook-hangs',
    proves: ['H-6', 'H-7'],
    what: 'a guard never answers',
    agent: writes,
    options: guard(never),
    ...both({ ...blocks, warnings: ['hook-failed', 'permission-denied'] }),
  },
  {
    id: 'hook-answers-too-late',
    proves: ['H-6', 'H-7'],
    what: 'a guard allows after its timeout: the tool stays blocked',
    agent: writes,
    options: guard(() => new Promise((resolve) => setTimeout(() => resolve(allow()), 350))),
    ...both({ ...blocks, warnings: ['hook-failed', 'permission-denied'] }),
  },
  {
    id: 'watcher-hook-hangs',
    proves: ['H-6', 'H-7'],
    what: 'a hook that is not a guard never answers',
    agent: (agent) => agent,
    options: { limits: QUICK, hooks: { Stop: never } },
    query: { outcome: 'completed', text: 'ok', warnings: ['hook-failed'] },
    session: { outcome: 'completed', text: 'ok', warnings: ['hook-failed', 2] },
  },
  {
    id: 'permission-throws',
    proves: ['P-3', 'C-10'],
    what: 'canUseTool throws an error that contains secrets',
    agent: writes,
    options: asks(() => {
      throw new Error(`cannot reach the database with ${SPILL}`);
    }),
    ...both(denies),
  },
  ...Object.entries({ number: 7n, text: 'yes', cycle: cyclic, nothing: undefined, yes: { behavior: 'yes' } }).map(
    ([kind, value]): Scenario => ({
      id: `permission-returns-${kind}`,
      proves: ['P-3', 'E-4'],
      what: `canUseTool returns an invalid value: ${kind}`,
      agent: writes,
      options: asks(() => value),
      ...both(denies),
    }),
  ),
  {
    id: 'permission-hangs',
    proves: ['P-3'],
    what: 'canUseTool never answers, and has a timeout',
    agent: writes,
    options: asks(never),
    ...both(denies),
  },
  {
    id: 'permission-later-never',
    proves: ['P-3', 'P-7'],
    what: 'canUseTool defers the answer, which does not arrive before the timeout',
    agent: writes,
    options: asks(() => decideLater()),
    ...both(denies),
  },
  {
    id: 'permission-answered-twice',
    proves: ['P-7', 'H-6'],
    what: 'answerPermission() denies, and then canUseTool allows',
    agent: writes,
    options: (world) => ({
      canUseTool: async ({ id }) => {
        await world.session().answerPermission(id, deny('no'));
        return allow();
      },
    }),
    session: { outcome: 'completed', text: 'ok', warnings: ['permission-denied'], ...refused },
  },
  {
    id: 'tool-throws',
    proves: ['T-3', 'E-4'],
    what: 'a tool of the host throws',
    agent: calls,
    options: serves(() => {
      throw new Error('oh');
    }),
    ...both({ outcome: 'completed', text: 'ok', warnings: ['tool-server-failed'] }),
  },
  {
    id: 'tool-hangs',
    proves: ['T-3'],
    what: 'a tool of the host never answers, and has a timeout',
    agent: calls,
    options: serves(never),
    ...both({ outcome: 'completed', text: 'ok', warnings: ['tool-server-timeout'] }),
  },
  {
    id: 'tool-returns-cycle',
    proves: ['T-3', 'E-4'],
    what: 'a tool of the host returns a value that JSON cannot represent',
    agent: calls,
    options: serves(() => ({ result: cyclic })),
    ...both({ outcome: 'completed', text: 'ok', got: rpcError(-32603), warnings: ['tool-message-malformed'] }),
  },
  ...Object.entries({ number: 7n, nothing: undefined }).map(
    ([kind, value]): Scenario => ({
      id: `tool-returns-${kind}`,
      proves: ['T-3', 'E-4'],
      what: `a tool of the host returns an invalid value: ${kind}`,
      agent: calls,
      options: serves(() => value),
      ...both({ outcome: 'completed', text: 'ok', warnings: ['tool-server-failed'] }),
    }),
  ),
  {
    id: 'watchers-throw',
    proves: ['E-6', 'E-4'],
    what: 'onEvent, onWarning, onStderr and the logger throw',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.line('noise').stderr('noise\n').say('ok')),
    options: { onEvent: fail, onWarning: fail, onStderr: fail, logger: throwingLogger() },
    query: { outcome: 'completed', text: 'ok', errors: ['json-decode'] },
    session: { outcome: 'completed', text: 'ok', warnings: ['undecodable-line'] },
  },
  {
    id: 'watchers-reject',
    proves: ['E-6', 'E-4'],
    what: 'onEvent, onWarning and onStderr reject',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.line('noise').stderr('noise\n').say('ok')),
    options: { onEvent: reject, onWarning: reject, onStderr: reject },
    query: { outcome: 'completed', text: 'ok', errors: ['json-decode'] },
    session: { outcome: 'completed', text: 'ok', warnings: ['undecodable-line'] },
  },
  {
    id: 'control-request-callback-throws',
    proves: ['X-4', 'E-4'],
    what: 'the CLI sends an unknown request, and onControlRequest throws',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .fault(faults.strayRequest({ subtype: 'unheard_of' }))
          .wait(50)
          .say('ok'),
      ),
    options: { onControlRequest: fail },
    session: { outcome: 'completed', text: 'ok', warnings: ['callback-failed'] },
  },
  {
    id: 'elicitation-callback-throws',
    proves: ['O-8', 'E-4'],
    what: 'a server asks the user a question, and onElicitation throws',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .fault(faults.strayRequest({ subtype: 'elicitation', mcp_server_name: 'calc', message: 'sure?' }))
          .wait(50)
          .say('ok'),
      ),
    options: { onElicitation: fail },
    session: { outcome: 'completed', text: 'ok', warnings: ['callback-failed'] },
  },
];

function fail(): never {
  throw new Error('oh');
}

function reject(): never {
  return wild(Promise.reject(new Error('oh')));
}

function throwingLogger(): NonNullable<AgentOptions['logger']> {
  return { trace: fail, debug: fail, info: fail, warn: fail, error: fail };
}
