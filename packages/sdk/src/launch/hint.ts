import { NO_CONVERSATION } from '../messages/session-id.ts';

/** What is known of a run that ended without a result. */
interface Ending {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** What to do about a process that ended badly: from what it said first, then from how it ended. */
export function hintFor({ exitCode, signal, stderr }: Ending): string {
  for (const [pattern, hint] of BY_WORDS) if (pattern.test(stderr)) return hint;
  if (signal !== null) return BY_SIGNAL[signal] ?? 'Something outside ended it; look at who sends signals to it.';
  return (exitCode === null ? undefined : BY_CODE[exitCode]) ?? BY_DEFAULT;
}

const BY_DEFAULT = "Run the same command by hand, or look at onStderr with extraArgs: { 'debug-to-stderr': true }.";

const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /unknown option/i,
    'This CLI does not know a flag it was given: it is too old for an option, or extraArgs names a flag it lacks. Update it.',
  ],
  [/argument '.*' is invalid|Allowed choices are/i, 'An option has a value this CLI does not take.'],
  [/Invalid MCP configuration|MCP config file not found/i, 'Check mcpServers and mcpConfigPath.'],
  [/Settings file not found|Error processing settings|Invalid settings/i, 'Check the option settings.'],
  [/Invalid setting source/i, 'settingSources takes user, project and local.'],
  [/Invalid --agents configuration/i, 'Check the option agents.'],
  [/--json-schema/i, 'Check the JSON Schema of outputSchema.'],
  [/Session ID .* is already in use/i, 'This sessionId exists already: resume it, or take another.'],
  [/Invalid session ID/i, 'sessionId must be a UUID.'],
  [
    new RegExp(`requires a valid session ID|${NO_CONVERSATION}`, 'i'),
    'There is no such conversation in this working directory and config directory.',
  ],
  [
    /cannot be used with root/i,
    'bypassPermissions does not work as root: run as another user, or choose allowedTools.',
  ],
  [/Input must be provided/i, 'The CLI got no prompt.'],
  [/ENOSPC|no space left/i, 'The disk is full.'],
  [
    /EACCES|permission denied/i,
    'The CLI may not read or write something it needs: check the owner of its config directory and of cwd.',
  ],
  [/Cannot find module|ERR_MODULE_NOT_FOUND/i, 'The CLI installation is damaged: install it again.'],
  [/SyntaxError/i, 'The Node that runs this CLI may be too old for it.'],
  [
    /GLIBC|not found \(required by/i,
    "The binary does not fit this system's C library: install the musl or glibc variant.",
  ],
];

const BY_SIGNAL: Readonly<Record<string, string>> = {
  SIGKILL: 'It was killed from outside, often for want of memory: look at the kernel log and at container limits.',
  SIGTERM: 'It was told to stop from outside: a supervisor, a container stop, a deploy.',
  SIGINT: 'It was interrupted from outside, as by Ctrl-C.',
  SIGSEGV: 'It crashed: update it, and check that the binary fits this system.',
  SIGABRT: 'It gave up by itself, often for want of memory.',
};

const BY_CODE: Readonly<Record<number, string>> = {
  126: 'The file is not executable: check its mode and the mount options.',
  127: 'A program was not found: the CLI path is wrong, or a wrapper script calls something that is missing.',
  129: 'It was hung up on (SIGHUP): its terminal or session went away.',
  130: 'It was interrupted (SIGINT) from outside.',
  134: 'It gave up by itself (SIGABRT), often for want of memory.',
  137: 'It was killed (SIGKILL), often for want of memory: look at the kernel log and at container limits.',
  139: 'It crashed (SIGSEGV): update it, and check that the binary fits this system.',
  143: 'It was told to stop (SIGTERM) from outside: a supervisor, a container stop, a deploy.',
};
