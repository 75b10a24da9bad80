/**
 * What the CLI takes only when it starts: a job that has one of these runs in a process that was started with it. What
 * holds functions, secrets or the means to run a CLI is not among them: that is for the pool's own code to give.
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

/** The name of an option that a job's process must be started with. */
export type ProcessOptionName = (typeof processOptionNames)[number];

/** The CLI counts these from the start of its process to the end, so no other job may share it. */
export const countedByProcess = ['maxBudgetUsd', 'taskBudget'] as const;
