import type { Limits } from 'coxswain';
import type { Options } from '../declarations/options.ts';
import { limitNames } from './limit-names.ts';

/** The limits of a conversation in a store. */
export type StoreLimits = Pick<Limits, 'storeTimeoutMs' | 'storeLoadMs' | 'storeAttempts' | 'storeRetryMs'>;

/** Generous enough for everything that works with the official SDK, which waits and buffers without a limit. */
const LIMITS = {
  /** An endless line must not fill the memory. */
  maxLineBytes: 256 * 1024 * 1024,
  /** SessionStart hooks of the user run before the CLI answers. */
  startTimeoutMs: 300_000,
  controlTimeoutMs: 120_000,
  maxPendingRequests: 1_024,
  graceMs: 2_000,
  /** Time for an idle CLI without stdin to exit: SessionEnd hooks of the user run then. */
  drainMs: 30_000,
  storeTimeoutMs: 60_000,
  storeLoadMs: 60_000,
  storeAttempts: 3,
  storeRetryMs: 200,
};

/**
 * The limits of a query: the defaults, then `COXSWAIN_LIMITS`, a JSON object with names and values of `limits` in coxswain, because
 * an unchanged program cannot pass them. @throws Error if the variable is invalid
 */
export function limitsFor(
  startTimeoutMs: number | undefined,
  storeLoadMs?: number,
): Partial<Limits> & Pick<Limits, 'drainMs' | 'graceMs'> & StoreLimits {
  const given = process.env.COXSWAIN_LIMITS;
  const own = given ? parsed(given) : {};
  return {
    ...LIMITS,
    ...own,
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    ...(storeLoadMs === undefined ? {} : { storeLoadMs }),
  };
}

/** Reports ignored options and problems besides the messages, if `COXSWAIN_WARNINGS` is set. */
export function warn(code: string, message: string): void {
  if (process.env.COXSWAIN_WARNINGS) process.emitWarning(message, { type: 'CoxswainWarning', code });
}

/** Always reports that the CLI has exited without an answer and without an error. */
export function warnOfLostAnswer(): void {
  const message = 'Claude Code exited with code 0 before it answered the last prompt.';
  process.emitWarning(message, { type: 'CoxswainWarning', code: 'COXSWAIN_NO_RESULT' });
}

/** Always reports that the session store does not have the complete conversation. */
export function warnOfLostEntries(entries: number, why: string): void {
  const shown = entries === 1 ? '1 entry' : `${entries} entries`;
  const message = `The query ended before ${shown} of the conversation could be stored: ${why}`;
  process.emitWarning(message, { type: 'CoxswainWarning', code: 'COXSWAIN_STORE_FAILED' });
}

/** Reports unknown options. */
export function warnOfUnknown(options: Options): void {
  if (!process.env.COXSWAIN_WARNINGS) return;
  const unknown = Object.keys(options).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) warn('unknown-option', `These options are unknown and were ignored: ${unknown.join(', ')}.`);
}

function parsed(text: string): Partial<Limits> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message below describes the expected value.
  }
  if (typeof value !== 'object' || value === null || !Object.values(value).every((one) => typeof one === 'number')) {
    throw new Error('COXSWAIN_LIMITS must be a JSON object with numbers, such as {"startTimeoutMs":60000}.');
  }
  const unknown = Object.keys(value).filter((name) => !limitNames.includes(name));
  if (unknown.length === 0) return value;
  const names = limitNames.toSorted().join(', ');
  throw new Error(`COXSWAIN_LIMITS has unknown limits: ${unknown.join(', ')}. The limits are: ${names}.`);
}

const KNOWN: ReadonlySet<string> = new Set(
  `abortController additionalDirectories projectConfigRoot agent agents allowedTools canUseTool continue cwd
  disallowedTools toolAliases tools env executable executableArgs extraArgs fallbackModel enableFileCheckpointing
  toolConfig forkSession betas hooks onElicitation onUserDialog supportedDialogKinds perTaskStopAffordance persistSession
  sessionStore sessionStoreFlush loadTimeoutMs includeHookEvents includePartialMessages forwardSubagentText
  verbatimPrompts thinking effort maxThinkingTokens maxTurns maxBudgetUsd taskBudget mcpServers mcpServersDelivery model outputFormat
  pathToClaudeCodeExecutable permissionMode planModeInstructions allowDangerouslySkipPermissions
  permissionPromptToolName permissionPrompts plugins pluginDelivery promptSuggestions agentProgressSummaries resume
  sessionId resumeSessionAt resumeDropsTurn sandbox settings managedSettings settingSources skills debug debugFile
  stderr strictMcpConfig systemPrompt title spawnClaudeCodeProcess`.split(/\s+/),
);
