import { type Warning, warning } from '../warnings/warning.ts';
import type { Report } from './checks.ts';
import { type HostFacts, inherits } from './environment.ts';
import type { AgentOptions, OptionName } from './option-types.ts';

interface Conflict {
  readonly path: OptionName;
  readonly message: string;
  /** `has` is also true for an option that was given but is bad. */
  when(values: AgentOptions, has: (name: OptionName) => boolean, host: HostFacts): boolean;
}

const CONFLICTS: readonly Conflict[] = [
  {
    path: 'systemPromptFile',
    message: 'cannot be combined with systemPrompt.',
    when: (_, has) => has('systemPrompt') && has('systemPromptFile'),
  },
  {
    path: 'maxThinkingTokens',
    message: 'cannot be combined with thinking: put the number into thinking.budgetTokens.',
    when: (_, has) => has('thinking') && has('maxThinkingTokens'),
  },
  {
    path: 'permissionPromptTool',
    message: 'cannot be combined with canUseTool: both would be asked.',
    when: (_, has) => has('canUseTool') && has('permissionPromptTool'),
  },
  {
    path: 'forkSession',
    message: 'needs resume or continue: there is nothing to fork.',
    when: (values, has) => values.forkSession === true && !has('resume') && values.continue !== true,
  },
  {
    path: 'resumeAt',
    message: 'needs resume.',
    when: (_, has) => has('resumeAt') && !has('resume'),
  },
  {
    path: 'sessionId',
    message: 'cannot be combined with resume or continue, unless forkSession is set.',
    when: (values, has) =>
      has('sessionId') && (has('resume') || values.continue === true) && values.forkSession !== true,
  },
  {
    path: 'sandbox',
    message: 'cannot be merged into a settings file: put it there, or pass settings as an object.',
    when: (values, has) => has('sandbox') && typeof values.settings === 'string',
  },
  {
    path: 'permissionMode',
    message: "'bypassPermissions' needs allowDangerouslySkipPermissions: true.",
    when: (values) => bypasses(values) && values.allowDangerouslySkipPermissions !== true,
  },
  {
    path: 'permissionMode',
    message:
      "'bypassPermissions' is refused by the CLI as root. Run as another user, or set IS_SANDBOX=1 in a sandbox.",
    when: (values, _, host) => bypasses(values) && isUnsandboxedRoot(values, host),
  },
  {
    path: 'allowDangerouslySkipPermissions',
    message: 'is refused by the CLI as root. Run as another user, or set IS_SANDBOX=1 in a sandbox.',
    when: (values, _, host) =>
      values.allowDangerouslySkipPermissions === true && !bypasses(values) && isUnsandboxedRoot(values, host),
  },
];

/** Reports the options that cannot be combined; `bad` are the names of options that were given but cannot be used. */
export function checkConflicts(values: AgentOptions, bad: ReadonlySet<string>, host: HostFacts, report: Report): void {
  const has = (name: OptionName): boolean => values[name] !== undefined || bad.has(name);
  for (const { path, message, when } of CONFLICTS) if (when(values, has, host)) report(path, message);
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
    ignore('continue', 'resume', 'continue is ignored: resume says which conversation to continue.');
  }
  if (values.cliVersion !== undefined && values.cli !== 'pinned' && values.cli !== 'bundled') {
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

function bypasses(values: AgentOptions): boolean {
  return values.permissionMode === 'bypassPermissions';
}

/**
 * The CLI refuses to skip permissions as root, unless one of two variables says that it runs in a sandbox. With `transport`
 * or `spawn`, the user that it runs as is not known.
 */
function isUnsandboxedRoot(values: AgentOptions, host: HostFacts): boolean {
  if (host.uid !== 0 || values.transport !== undefined || values.spawn !== undefined) return false;
  const childHas = (name: string): boolean => {
    const own = values.env && Object.hasOwn(values.env, name);
    const inherited = inherits(values.inheritEnv ?? true, name, host.platform) ? host.env[name] : undefined;
    return (own ? values.env?.[name] : inherited) === '1';
  };
  return !childHas('IS_SANDBOX') && !childHas('CLAUDE_CODE_BUBBLEWRAP');
}
