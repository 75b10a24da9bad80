import { isObject } from '@coxswain/shared/is-object';
import { type AgentOptions, allow, type CanUseTool, deny, type Hook, type HookRun, type Hooks } from 'coxswain';
import type { Gap, Scenario } from '../scenario/scenario.ts';
import { withoutOwnServers } from './recorded-mcp.ts';
import { foreignSettings, isForeignVariable } from './workspace.ts';

/** A hook that was called, and what it decided. */
export interface HookCall {
  readonly event: string;
  readonly toolUseId: string | undefined;
  /** The name of the decision; `none` lets the action continue, `failed` is an exception. */
  readonly decision: string;
  readonly reason: string | undefined;
}

/** A permission request, and its answer. */
export interface Ask {
  readonly toolUseId: string | undefined;
  readonly answer: 'allow' | 'deny' | 'as-recorded';
}

/** What the callbacks of an agent were asked during a rehearsal. */
export interface Observations {
  readonly hooks: HookCall[];
  readonly asks: Ask[];
}

/**
 * The options of an agent for a rehearsal: its callbacks are observed, and options with effects outside the rehearsal are
 * left out.
 */
export function observedAgent(
  agent: AgentOptions,
  scenario: Scenario,
): { readonly options: AgentOptions; readonly seen: Observations; readonly gaps: readonly Gap[] } {
  const seen: Observations = { hooks: [], asks: [] };
  const gaps: Gap[] = [];
  const kept = Object.fromEntries(
    Object.entries(agent).filter(([name, value]) => {
      if (!NOT_REHEARSED.has(name)) return true;
      if (value !== undefined && NAMED.has(name)) gaps.push({ what: `the option ${name} of the agent is not used` });
      return false;
    }),
  );
  const foreign = foreignSettings(agent.settings);
  if (foreign.length > 0 || typeof agent.settings === 'string') {
    gaps.push({
      what: 'the option settings of the agent is not used: it is a file, or sets more than a rehearsal can accept',
    });
    delete kept.settings;
  }
  const env = Object.fromEntries(Object.entries(agent.env ?? {}).filter(([name]) => !isForeignVariable(name)));
  const options: AgentOptions = {
    ...kept,
    env,
    strictMcpConfig: true,
    ...withoutOwnServers(agent, scenario),
    ...(agent.hooks ? { hooks: observedHooks(agent.hooks, seen) } : {}),
    ...(agent.canUseTool ? { canUseTool: observedAnswers(agent.canUseTool, scenario, seen) } : {}),
  };
  return { options, seen, gaps };
}

/** Options that belong to the conversation or the machine, not to the agent. */
const NOT_REHEARSED: ReadonlySet<string> = new Set([
  ...[
    'cli',
    'cliVersion',
    'transport',
    'spawn',
    'cwd',
    'configDir',
    'env',
    'inheritEnv',
    'apiKey',
    'maxRetries',
    'isolate',
    'signal',
  ],
  ...['resume', 'resumeAt', 'continue', 'forkSession', 'sessionId', 'persistSession', 'sessionStore', 'storeProject'],
  ...[
    'storeFailure',
    'storeOnly',
    'mcpConfigPath',
    'strictMcpConfig',
    'timeoutMs',
    'idleTimeoutMs',
    'onEvent',
    'observers',
  ],
  ...[
    'onWarning',
    'onStderr',
    'logger',
    'restart',
    'debug',
    'maxBudgetUsd',
    'addDirs',
    'systemPromptFile',
    'title',
    'plugins',
    'extraArgs',
    'onElicitation',
    'onControlRequest',
  ],
]);

/** Those that change what the agent does. */
const NAMED: ReadonlySet<string> = new Set([
  ...['isolate', 'mcpConfigPath', 'addDirs', 'maxBudgetUsd', 'systemPromptFile', 'plugins', 'extraArgs'],
  ...['onElicitation', 'onControlRequest'],
]);

function observedHooks(hooks: Hooks, seen: Observations): Hooks {
  const wrapped = Object.entries(hooks).map(([event, list]) => {
    // The inputs differ by event; a wrapper passes on whatever it receives.
    const all = (Array.isArray(list) ? list : [list]) as readonly (HookRun<unknown> | Hook<unknown>)[];
    return [event, all.map((hook) => observedHook(event, hook, seen))];
  });
  return Object.fromEntries(wrapped);
}

function observedHook(event: string, hook: HookRun<unknown> | Hook<unknown>, seen: Observations): Hook<unknown> {
  const { run, ...rest } = typeof hook === 'function' ? { run: hook } : hook;
  return {
    ...rest,
    async run(input, context) {
      const toolUseId = isObject(input) && typeof input.tool_use_id === 'string' ? input.tool_use_id : undefined;
      const note = (decision: string, reason?: unknown): void => {
        seen.hooks.push({ event, toolUseId, decision, reason: typeof reason === 'string' ? reason : undefined });
      };
      try {
        const result = await run(input, context);
        note(...decisionOf(result));
        return result;
      } catch (error) {
        note('failed', error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}

function decisionOf(result: unknown): [decision: string, reason?: unknown] {
  if (!isObject(result) || Object.keys(result).length === 0) return ['none'];
  const specific = isObject(result.hookSpecificOutput) ? result.hookSpecificOutput : {};
  const decision =
    specific.permissionDecision ?? result.decision ?? (result.continue === false ? 'stopTurn' : 'output');
  return [String(decision), result.reason ?? specific.permissionDecisionReason];
}

/** Time for a callback, which may wait for a person, before the recorded answer is used. */
const LONGEST_ANSWER_MS = 5_000;

function observedAnswers(canUseTool: CanUseTool, scenario: Scenario, seen: Observations): CanUseTool {
  return async (request, context) => {
    const late = Symbol('late');
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<typeof late>((resolve) => {
      timer = setTimeout(() => resolve(late), LONGEST_ANSWER_MS);
    });
    const answer = await Promise.race([Promise.resolve(canUseTool(request, context)), limit]).finally(() =>
      clearTimeout(timer),
    );
    const { toolUseId } = request;
    if (answer === late || ('decision' in answer && answer.decision === 'decideLater')) {
      seen.asks.push({ toolUseId, answer: 'as-recorded' });
      const ran = toolUseId !== undefined && scenario.results[toolUseId]?.outcome === 'ran';
      return ran ? allow() : deny('It was not allowed in the recording.');
    }
    const allowed =
      'decision' in answer ? ['allow', 'answerQuestions'].includes(answer.decision) : answer.behavior === 'allow';
    seen.asks.push({ toolUseId, answer: allowed ? 'allow' : 'deny' });
    return answer;
  };
}
