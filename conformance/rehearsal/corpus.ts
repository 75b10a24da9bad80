import type { Scenario } from '@coxswain/rehearsal';
import { type AgentOptions, addContext, allow, deny, permissions } from 'coxswain';
import { aScenario, type Step, step } from '../../packages/rehearsal/test/a-scenario.ts';

const COMMANDS = [
  'npm test',
  'npm run lint',
  'npm publish',
  'git log --oneline',
  'git push origin main',
  'make deploy',
];

/** Generated conversations with known calls: conversation `n` is always the same. */
export function corpus(count: number): readonly Scenario[] {
  return Array.from({ length: count }, (_, n) => {
    const calls = Array.from({ length: 3 + (n % 4) }, (_, at) => callOf(n + at * 7));
    const turns = n % 3 === 0 ? [calls.slice(0, 2), calls.slice(2)] : [calls];
    return aScenario(turns, { name: `conversation ${n + 1}`, files: { '/work/boats/crew.txt': 'Ann\nBob\n' } });
  });
}

function callOf(n: number): Step {
  if (n % 5 === 4) return step('Read', { file_path: '/work/boats/crew.txt' });
  return step('Bash', { command: COMMANDS[n % COMMANDS.length] ?? 'ls' });
}

/** The agent of the corpus: a rule allows some commands, and all others need a permission. */
export const AGENT: AgentOptions = {
  settingSources: [],
  ...permissions({ allow: ['Bash(npm *)', 'Bash(git log *)'], ask: () => allow() }),
};

/** A change of the agent, and the calls that it affects: only these have another outcome. */
export interface PlantedChange {
  readonly name: string;
  readonly agent: AgentOptions;
  /** True for a call with this command; undefined is a call of another tool. */
  readonly concerns: (command: string | undefined) => boolean;
  /** The changed outcome of a call, or, in `once`, of the conversation. */
  readonly change: string;
  readonly once?: readonly string[];
}

const rules = (allowed: readonly string[], denied: readonly string[] = []): AgentOptions => ({
  settingSources: [],
  ...permissions({ allow: allowed, deny: denied, ask: () => allow() }),
});
const nothing = (): boolean => false;
const isPublish = (command: string | undefined): boolean => command === 'npm publish';

/** Ten changes. */
export const CHANGES: readonly PlantedChange[] = [
  {
    name: 'a deny rule',
    agent: rules(['Bash(npm *)', 'Bash(git log *)'], ['Bash(npm publish)']),
    concerns: isPublish,
    change: 'now-refused',
  },
  {
    name: 'a stricter rule',
    agent: rules(['Bash(npm test)', 'Bash(npm run *)', 'Bash(git log *)']),
    concerns: isPublish,
    change: 'now-asked',
  },
  {
    name: 'a wider rule',
    agent: rules(['Bash(npm *)', 'Bash(git *)']),
    concerns: (command) => command?.startsWith('git push') === true,
    change: 'no-longer-asked',
  },
  {
    name: 'a hook that denies',
    agent: hook((command) => (command === 'make deploy' ? deny('Not on Fridays.') : undefined)),
    concerns: (command) => command === 'make deploy',
    change: 'now-refused',
  },
  {
    name: 'a hook that allows',
    agent: hook((command) => (command === 'make deploy' ? allow() : undefined)),
    concerns: (command) => command === 'make deploy',
    change: 'no-longer-asked',
  },
  {
    name: 'a hook that adds context',
    agent: hook((command) => (command === 'npm test' ? addContext('Slowly.') : undefined)),
    concerns: (command) => command === 'npm test',
    change: 'hook',
  },
  {
    name: 'a callback that refuses',
    agent: { ...AGENT, canUseTool: () => deny('Nobody is there.') },
    concerns: (command) => command === 'make deploy' || command?.startsWith('git push') === true,
    change: 'now-refused',
  },
  { name: 'another effort', agent: { ...AGENT, effort: 'low' }, concerns: nothing, change: '', once: ['effort'] },
  {
    name: 'an appended prompt',
    agent: { ...AGENT, appendSystemPrompt: '# House rules\nRow slowly.' },
    concerns: nothing,
    change: '',
    // With an appended prompt, 2.1.325 also introduces itself differently.
    once: ['system prompt, section beginning', 'system prompt, section House rules'],
  },
  {
    name: 'a tool less',
    agent: { ...AGENT, disallowedTools: ['WebFetch'] },
    concerns: nothing,
    change: '',
    once: ['deferred tool WebFetch'],
  },
];

function hook(
  decide: (
    command: string,
  ) => ReturnType<typeof deny> | ReturnType<typeof allow> | ReturnType<typeof addContext> | undefined,
): AgentOptions {
  return {
    ...AGENT,
    hooks: {
      PreToolUse: (input) => (input.tool_name === 'Bash' ? decide(input.tool_input.command) : undefined),
    },
  };
}
