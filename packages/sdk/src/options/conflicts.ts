import type { Report } from '../errors/options.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isSessionId } from '../wire/session-id.ts';
import { at } from './checks.ts';
import { type HostFacts, variableIn } from './environment.ts';
import { checkHooksOff } from './hooks-off.ts';
import { checkIsolation } from './isolate-conflicts.ts';
import type { AgentOptions, OptionName } from './option-types.ts';
import { modeInSettings } from './permission-mode.ts';
import { namedServers } from './sdk-server.ts';
import { checkDeniedServers, checkServerNames, type NamedServer } from './server-names.ts';
import { denyRulesIn } from './settings-check.ts';

/** Reports the options that cannot be combined; `bad` contains the names of options that were given but are invalid. */
export function checkConflicts(values: AgentOptions, bad: ReadonlySet<string>, host: HostFacts, report: Report): void {
  const has = (name: OptionName): boolean => values[name] !== undefined || bad.has(name);
  const continues = has('resume') || values.continue === true;
  const forks = values.forkSession === true;
  const bypasses = values.permissionMode === 'bypassPermissions';
  const skips = values.allowDangerouslySkipPermissions === true;
  if (has('systemPrompt') && has('systemPromptFile')) {
    report('systemPromptFile', 'cannot be combined with systemPrompt.');
  }
  if (has('thinking') && has('maxThinkingTokens')) {
    report('maxThinkingTokens', 'cannot be combined with thinking: put the number into thinking.budgetTokens.');
  }
  if (has('canUseTool') && has('permissionPromptTool')) {
    report('permissionPromptTool', 'cannot be combined with canUseTool: both would decide permissions.');
  }
  if (forks && !continues) report('forkSession', 'needs resume or continue: there is nothing to fork.');
  if (has('resumeAt') && !has('resume')) report('resumeAt', 'needs resume.');
  if (has('sessionId') && continues && !forks) {
    report('sessionId', 'cannot be combined with resume or continue, unless forkSession is set.');
  }
  if (has('sessionStore')) {
    if (values.persistSession === false) {
      report('persistSession', 'cannot be false with sessionStore: the CLI mirrors only what it writes.');
    }
    if (values.continue === true) {
      report('continue', 'cannot be combined with sessionStore: use resume with the id of the conversation.');
    }
    if (values.resume !== undefined && !isSessionId(values.resume)) {
      report('resume', 'must be the id of a session with sessionStore, a UUID.');
    }
  } else {
    for (const name of ['storeProject', 'storeFailure', 'storeOnly'] as const)
      if (has(name)) report(name, 'needs sessionStore.');
  }
  if (has('sandbox') && typeof values.settings === 'string') {
    report('sandbox', 'cannot be merged into a settings file: put it there, or pass settings as an object.');
  }
  checkIsolation(values, host, report);
  checkHooksOff(values, report);
  const servers = serversOf(values);
  checkServerNames(servers, values.allowedTools ?? [], report);
  checkDeniedServers(servers, values.disallowedTools ?? [], 'disallowedTools', report);
  checkDeniedServers(servers, denyRulesIn(values.settings), 'settings.permissions.deny', report);
  if (!skips) for (const path of bypassPaths(values)) report(path, BYPASS_NEEDS);
  if ((bypasses || skips) && isUnsandboxedRoot(values, host)) {
    const refused = 'is refused by the CLI as root. Run as another user, or set IS_SANDBOX=1 in a sandbox.';
    if (bypasses) report('permissionMode', `'bypassPermissions' ${refused}`);
    else report('allowDangerouslySkipPermissions', refused);
  }
}

/** Warns about combinations that are probably not intended; `ignored` options must not be used. */
export function ignoredOptions(values: AgentOptions): { warnings: Warning[]; ignored: OptionName[] } {
  const warnings: Warning[] = [];
  const ignored: OptionName[] = [];
  const ignore = (option: OptionName, because: OptionName, message: string): void => {
    ignored.push(option);
    warnings.push(warning('option-ignored', message, { option, because }));
  };
  if (values.resume !== undefined && values.continue) {
    ignore('continue', 'resume', 'continue is ignored: resume selects the conversation to continue.');
  }
  if (values.cliVersion !== undefined && values.cli !== 'pinned') {
    ignore('cliVersion', 'cli', "cliVersion is ignored: it selects the release for cli: 'pinned' only.");
  }
  if (values.transport !== undefined && values.spawn !== undefined) {
    ignore('spawn', 'transport', 'spawn is ignored: the transport starts the CLI.');
  }
  const { model, fallbackModel } = values;
  if (model !== undefined && fallbackModel?.split(',').some((name) => name.trim() === model)) {
    const message = `fallbackModel names the model itself (${model}), so it is not a fallback.`;
    warnings.push(warning('fallback-equals-model', message, { model }));
  }
  return { warnings, ignored };
}

const BYPASS_NEEDS = "'bypassPermissions' needs allowDangerouslySkipPermissions: true.";

/** The paths of the options that set `bypassPermissions`. 2.1.197 lets an agent use it without an additional flag. */
function bypassPaths(values: AgentOptions): string[] {
  const modes: [path: string, mode: unknown][] = [
    ['permissionMode', values.permissionMode],
    ['settings.permissions.defaultMode', modeInSettings(values)],
    ...Object.entries(values.agents ?? {}).map(([name, { permissionMode }]): [string, unknown] => {
      return [`${at('agents', name)}.permissionMode`, permissionMode];
    }),
  ];
  return modes.flatMap(([path, mode]) => (mode === 'bypassPermissions' ? [path] : []));
}

/** All MCP servers that the options define. */
function serversOf({ mcpServers = {}, agents = {} }: AgentOptions): NamedServer[] {
  const ofAgents = Object.entries(agents).flatMap(([agent, { mcpServers: own = [] }]) =>
    own.flatMap((server, index) => {
      return typeof server === 'string' ? [] : namedServers(server, `agents.${agent}.mcpServers[${index}]`);
    }),
  );
  return [...namedServers(mcpServers, 'mcpServers'), ...ofAgents];
}

/**
 * The CLI refuses to skip permissions as root, unless one of two variables declares that it runs in a sandbox. With
 * `transport` or `spawn`, the CLI's user is unknown.
 */
function isUnsandboxedRoot(values: AgentOptions, host: HostFacts): boolean {
  if (host.getuid?.() !== 0 || values.transport !== undefined || values.spawn !== undefined) return false;
  const childHas = (name: string): boolean => variableIn(values, host, name) === '1';
  return !childHas('IS_SANDBOX') && !childHas('CLAUDE_CODE_BUBBLEWRAP');
}
