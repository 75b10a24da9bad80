import { ProcessError } from '../errors/stream.ts';
import type { StderrTail } from './stderr-tail.ts';
import type { ExitReport } from './transport.ts';

/** The error for a CLI that ended badly: how it ended, what it wrote to stderr, and what to do about it. */
export function processFailure(
  { exitCode, signal, error }: ExitReport,
  stderr: StderrTail,
  said: Pick<ProcessError, 'stdoutWasEmpty'> & Partial<Pick<ProcessError, 'lastNonJsonLine' | 'result'>> = {
    stdoutWasEmpty: false,
  },
): ProcessError {
  const hint = hintFor({ exitCode, signal, stderr: stderr.raw() });
  return new ProcessError({ exitCode, signal, stderrTail: stderr.text(), hint, cause: error, ...said });
}

/** What to do about a process that ended badly, judging by its stderr first, then by how it ended. */
export function hintFor(ending: { exitCode: number | null; signal: string | null; stderr: string }): string {
  const { exitCode, signal, stderr } = ending;
  for (const [pattern, hint] of BY_WORDS) if (pattern.test(stderr)) return hint;
  if (signal !== null)
    return BY_SIGNAL[signal] ?? 'It was killed by a signal from another process; find out which one.';
  return (exitCode === null ? undefined : BY_CODE[exitCode]) ?? BY_DEFAULT;
}

const BY_DEFAULT = "Run the same command by hand, or read onStderr with extraArgs: { 'debug-to-stderr': true }.";

const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /unknown option/i,
    'This CLI does not know one of the flags it was given: it is too old for an option, or extraArgs names a flag it lacks. Update it.',
  ],
  [/argument '.*' is invalid|Allowed choices are/i, 'An option has a value this CLI does not accept.'],
  [/Invalid MCP configuration|MCP config file not found/i, 'Check mcpServers and mcpConfigPath.'],
  [/Settings file not found|Error processing settings|Invalid settings/i, 'Check the option settings.'],
  [/Invalid setting source/i, 'settingSources takes user, project and local.'],
  [/Invalid --agents configuration/i, 'Check the option agents.'],
  [/--json-schema/i, 'Check the JSON Schema of outputSchema.'],
  [/Session ID .* is already in use/i, 'This sessionId exists already: resume it, or use another.'],
  [/Invalid session ID/i, 'sessionId must be a UUID.'],
  [
    /requires a valid session ID|No conversation found/i,
    'This working directory and config directory have no such conversation.',
  ],
  [
    /cannot be used with root/i,
    'bypassPermissions does not work as root: run as another user, or choose allowedTools.',
  ],
  [/Input must be provided/i, 'The CLI got no prompt.'],
  [/ENOSPC|no space left/i, 'The disk is full.'],
  [
    /EACCES|permission denied/i,
    'The CLI has no permission to read or write a file it needs: check the owner of its config directory and of cwd.',
  ],
  [/Cannot find module|ERR_MODULE_NOT_FOUND/i, 'The CLI installation is damaged: install it again.'],
  [/SyntaxError/i, 'The Node that runs this CLI may be too old for it.'],
  [
    /GLIBC|not found \(required by/i,
    "The binary does not match this system's C library: install the musl or glibc variant.",
  ],
];

const BY_SIGNAL: Readonly<Record<string, string>> = {
  SIGHUP: 'It received SIGHUP: its terminal or session was closed.',
  SIGINT: 'Another process interrupted it (SIGINT), as Ctrl-C does.',
  SIGABRT: 'It aborted (SIGABRT), often because memory ran out.',
  SIGKILL:
    'It was killed (SIGKILL), often by the OOM killer when memory runs out: look at the kernel log and the container limits.',
  SIGSEGV: 'It crashed (SIGSEGV): update it, and check that the binary is built for this system.',
  SIGTERM: 'It was told to stop (SIGTERM) by another process: a supervisor, a container stop, a deploy.',
};

const BY_CODE: Readonly<Record<number, string | undefined>> = {
  126: 'The file is not executable: check its mode and the mount options.',
  127: 'A program was not found: the CLI path is wrong, or a wrapper script calls something that is missing.',
  129: BY_SIGNAL.SIGHUP,
  130: BY_SIGNAL.SIGINT,
  134: BY_SIGNAL.SIGABRT,
  137: BY_SIGNAL.SIGKILL,
  139: BY_SIGNAL.SIGSEGV,
  143: BY_SIGNAL.SIGTERM,
};
