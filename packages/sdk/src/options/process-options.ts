import type { AgentOptions } from './option-types.ts';
import { jsonSchemaOf } from './output-schema.ts';

/**
 * Options that the CLI accepts only when it starts: a job or a turn that sets one runs in a process that was started with it.
 * Options that hold functions or secrets, or that choose the CLI, are not in the list: only the code that opens the session
 * or creates the pool can set them.
 */
export const processOptionNames = [
  'cwd',
  'addDirs',
  'outputSchema',
  'maxBudgetUsd',
  'maxTurns',
  'taskBudget',
  'fallbackModel',
  'effort',
  'systemPrompt',
  'appendSystemPrompt',
  'tools',
  'allowedTools',
  'disallowedTools',
  'agents',
  'agent',
  'betas',
  'includePartialMessages',
  'forwardSubagentText',
  'maxRetries',
] as const;

/** An option that a job's process must be started with. */
export type ProcessOptionName = (typeof processOptionNames)[number];

/** The CLI counts these over the lifetime of its process, so the process cannot run another job or turn. */
export const countedByProcess = ['maxBudgetUsd', 'taskBudget'] as const;

/** Fixed by the first prompt of a conversation: 2.1.325 stores the system prompt with it and ignores a later one. */
const KEPT_BY_CONVERSATION = ['systemPrompt', 'appendSystemPrompt', 'agent'] as const;

/** A conversation cannot change its directories either. */
const DIRECTORIES = ['cwd', 'addDirs'] as const;

/** An option that the process of a session's turn must be started with. */
export type TurnProcessOptionName = Exclude<
  ProcessOptionName,
  (typeof KEPT_BY_CONVERSATION)[number] | (typeof DIRECTORIES)[number]
>;

export function isTurnProcessOption(name: string): name is TurnProcessOptionName {
  const ofTheSession = isKeptByConversation(name) || DIRECTORIES.some((directory) => directory === name);
  return !ofTheSession && processOptionNames.some((known) => known === name);
}

export function isKeptByConversation(name: string): boolean {
  return KEPT_BY_CONVERSATION.some((kept) => kept === name);
}

/** Jobs or turns with the same profile can share a process; '' if any process can run them. `id` is the id of the job or turn. */
export function profileOf(options: AgentOptions, id: string): string {
  // In a fixed order, whatever the order in `options`.
  const given = processOptionNames.filter((name) => options[name] !== undefined);
  if (given.length === 0) return '';
  const others = given.filter((name) => name !== 'outputSchema').map((name) => [name, options[name]]);
  const { outputSchema } = options;
  // Schemas with the same JSON Schema can share a process: each job and turn validates its output with its own schema.
  const schema = outputSchema && jsonSchemaOf(outputSchema);
  const alone = countedByProcess.some((option) => options[option] !== undefined);
  return JSON.stringify([others, schema, alone ? id : null]);
}

/** Adds the shared denied tools to a run's own list, which would otherwise replace them: a run cannot deny fewer. */
export function withDenials(own: AgentOptions, shared: AgentOptions['disallowedTools']): AgentOptions {
  if (own.disallowedTools === undefined || shared === undefined) return own;
  return { ...own, disallowedTools: [...new Set([...shared, ...own.disallowedTools])] };
}
