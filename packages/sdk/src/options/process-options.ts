import type { AgentOptions } from './option-types.ts';
import { jsonSchemaOf } from './output-schema.ts';

/**
 * Options the CLI only accepts when it starts: a job or a turn that sets one runs in a process that was started with it. Options
 * that hold functions or secrets, or that choose the CLI, are left out: only the code that opens the session or creates the
 * pool can set them.
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

/** An option that the process of a job must be started with. */
export type ProcessOptionName = (typeof processOptionNames)[number];

/** The CLI counts these over the lifetime of its process, so that process can run no other job or turn. */
export const countedByProcess = ['maxBudgetUsd', 'taskBudget'] as const;

/** What a conversation keeps from its first prompt on: 2.1.325 stores the system prompt with it, and ignores another. */
const KEPT_BY_CONVERSATION = ['systemPrompt', 'appendSystemPrompt', 'agent'] as const;

/** A conversation also stays in its directories. */
const DIRECTORIES = ['cwd', 'addDirs'] as const;

/** The same for a turn of a session. */
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

/** The same for all jobs or turns that one process can run; '' if any process can. `id` is that of the job or turn. */
export function profileOf(options: AgentOptions, id: string): string {
  // In one order, whatever the order of the given ones.
  const given = processOptionNames.filter((name) => options[name] !== undefined);
  if (given.length === 0) return '';
  const others = given.filter((name) => name !== 'outputSchema').map((name) => [name, options[name]]);
  const { outputSchema } = options;
  // Schemas that look the same to the CLI can share a process: each job and turn validates its output with its own schema.
  const schema = outputSchema && jsonSchemaOf(outputSchema);
  const alone = countedByProcess.some((option) => options[option] !== undefined);
  return JSON.stringify([others, schema, alone ? id : null]);
}

/** Adds the denied tools of all runs to those of one, whose list would replace them: it cannot deny fewer. */
export function withDenials(own: AgentOptions, shared: AgentOptions['disallowedTools']): AgentOptions {
  if (own.disallowedTools === undefined || shared === undefined) return own;
  return { ...own, disallowedTools: [...new Set([...shared, ...own.disallowedTools])] };
}
