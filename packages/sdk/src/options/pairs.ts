import { type Warning, warning } from '../warnings/warning.ts';
import type { AgentOptions, OptionName } from './groups.ts';
import type { HostFacts } from './host.ts';
import { inherits } from './inherit-env.ts';
import type { Report } from './report.ts';

/** The options of a run as far as they are good, and the names of those that were given but are not. */
export interface GivenOptions {
  readonly values: AgentOptions;
  readonly bad: ReadonlySet<string>;
}

interface ImpossiblePair {
  readonly path: OptionName;
  readonly message: string;
  when(values: AgentOptions, has: (name: OptionName) => boolean, host: HostFacts): boolean;
}

const IMPOSSIBLE: readonly ImpossiblePair[] = [
  {
    path: 'systemPromptFile',
    message: 'cannot be given together with systemPrompt.',
    when: (_, has) => has('systemPrompt') && has('systemPromptFile'),
  },
  {
    path: 'maxThinkingTokens',
    message: 'cannot be given together with thinking: put the number into thinking.budgetTokens.',
    when: (_, has) => has('thinking') && has('maxThinkingTokens'),
  },
  {
    path: 'permissionPromptTool',
    message: 'cannot be given together with canUseTool: both would be asked.',
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
    message: 'cannot be given together with resume or continue, unless forkSession is set.',
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

/** Reports the options that cannot stand together. */
export function checkPairs(given: GivenOptions, host: HostFacts, report: Report): void {
  const has = (name: OptionName): boolean => given.values[name] !== undefined || given.bad.has(name);
  for (const pair of IMPOSSIBLE) if (pair.when(given.values, has, host)) report(pair.path, pair.message);
}

/** What can stand together, but probably was not meant to; `dropped` options must not be used. */
export function questionablePairs(values: AgentOptions): { warnings: Warning[]; dropped: OptionName[] } {
  const warnings: Warning[] = [];
  const dropped: OptionName[] = [];
  const ignore = (option: OptionName, because: OptionName, message: string): void => {
    dropped.push(option);
    warnings.push(warning('option-ignored', message, { option, because }));
  };
  if (values.resume !== undefined && values.continue) {
    ignore('continue', 'resume', 'continue is ignored: resume says which conversation to go on with.');
  }
  if (values.cliVersion !== undefined && values.cli !== 'pinned' && values.cli !== 'bundled') {
    ignore('cliVersion', 'cli', "cliVersion is ignored: it chooses the release for cli: 'pinned' only.");
  }
  if (values.transport !== undefined && values.spawn !== undefined) {
    ignore('spawn', 'transport', 'spawn is ignored: the transport starts the CLI.');
  }
  if (values.model !== undefined && values.fallbackModel?.split(',').some((name) => name.trim() === values.model)) {
    const { model } = values;
    warnings.push(
      warning('fallback-equals-model', `fallbackModel names the model itself (${model}), so it is no fallback.`, {
        model,
      }),
    );
  }
  return { warnings, dropped };
}

function bypasses(values: AgentOptions): boolean {
  return values.permissionMode === 'bypassPermissions';
}

/**
 * The CLI refuses to skip permissions as root, unless one of two variables says that it runs in a sandbox. Who it runs as
 * is not known when the caller starts it.
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
