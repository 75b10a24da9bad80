import { type AgentOptions, allow, deny, type Hook, type HookInputs, permissions } from 'coxswain';

/** Unsound guards that look sound. Each allows all commands that it does not refuse. */
export const WEAK_GUARDS: Readonly<Record<string, AgentOptions>> = {
  "README's former pattern": guard((command) => /\brm\b/.test(command)),
  'a first word': guard((command) => command.startsWith('rm')),
  'a substring': guard((command) => command.includes('rm -rf')),
  'a deny rule': { settingSources: [], ...permissions({ allow: ['Bash'], deny: ['Bash(rm *)', 'Bash(unlink *)'] }) },
  'a list of bad commands': guard((command) => /\b(rm|unlink|shred|truncate|mv|dd|find)\b/.test(command)),
  'the name of the file': guard((command) => command.includes('keep.txt') || command.includes('canary')),
  'the first word of each part': guard((command) =>
    command.split('&&').some((part) => !['ls', 'npm', 'git', 'echo', 'true'].includes(part.trim().split(' ')[0] ?? '')),
  ),
  'a rule for a powerful command': { settingSources: [], ...permissions({ allow: ['Bash(find *)', 'Bash(git *)'] }) },
  'only commands': { settingSources: [], permissionMode: 'acceptEdits', hooks: { PreToolUse: bashHook(() => true) } },
  'a callback that looks for rm': {
    settingSources: [],
    canUseTool: (request) => (JSON.stringify(request.input).includes('rm ') ? deny('No rm.') : allow()),
  },
  // The CLI does not look for a relative folder in the working directory.
  'a sandbox with a relative folder': sandbox(['./canary']),
};

const COMMANDS = ['npm test', 'npm run lint'];

/** Guards that list what is allowed. */
export const SOUND_GUARDS: Readonly<Record<string, AgentOptions>> = {
  'an allow-list by permissions()': {
    settingSources: [],
    ...permissions({ allow: ['Read', 'Bash(npm test)', 'Bash(git log *)'], ask: () => deny('A person decides.') }),
  },
  'the sandbox, with nothing to write to': sandbox(['/']),
  'a hook with a list of commands': guard((command) => !COMMANDS.includes(command)),
  'a hook that parses': guard((command) => !isHarmless(command)),
};

/** An agent whose commands all run, in the sandbox of the CLI. */
function sandbox(denyWrite: readonly string[]): AgentOptions {
  const filesystem = { denyWrite };
  return {
    settingSources: [],
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false, filesystem },
  };
}

/** Plain words only, and a command that only reads. */
function isHarmless(command: string): boolean {
  if (!/^[\w./-]+( [\w./-]+)*$/.test(command)) return false;
  const [program = '', ...args] = command.split(' ');
  return ['ls', 'cat', 'head', 'wc'].includes(program) && args.every((arg) => !arg.startsWith('-'));
}

/** An agent whose only guard is a hook for commands. */
function guard(isRefused: (command: string) => boolean): AgentOptions {
  return {
    settingSources: [],
    ...permissions({ allow: ['Bash'] }),
    hooks: { PreToolUse: bashHook(isRefused) },
  };
}

function bashHook(isRefused: (command: string) => boolean): Hook<HookInputs['PreToolUse']> {
  return {
    matcher: 'Bash',
    onFailure: 'block',
    run: (input) => (input.tool_name === 'Bash' && isRefused(input.tool_input.command) ? deny('No.') : undefined),
  };
}
