import { SandboxUnavailableError } from '../errors/start.ts';
import { ProcessError } from '../errors/stream.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { StderrTail } from './stderr-tail.ts';
import type { ExitReport } from './transport.ts';

/** The error for a CLI that failed: how it ended, the end of stderr, and advice. */
export function processFailure(
  { exitCode, signal, error }: ExitReport,
  stderr: StderrTail,
  output: Pick<ProcessError, 'stdoutWasEmpty'> & Partial<Pick<ProcessError, 'lastNonJsonLine' | 'result'>> = {
    stdoutWasEmpty: false,
  },
): ProcessError {
  const { stdoutWasEmpty, lastNonJsonLine: stdout } = output;
  const hint = hintFor({ exitCode, signal, stderr: stderr.raw(), stdout, stdoutWasEmpty });
  return new ProcessError({ exitCode, signal, stderrTail: stderr.text(), hint, cause: error, ...output });
}

/** The error of a CLI that refused to start without a sandbox, if the text reports that. */
export function sandboxRefusal(text: string): SandboxUnavailableError | undefined {
  const reason = /sandbox required but unavailable: ([^\n]*)/i.exec(text)?.[1];
  return reason === undefined ? undefined : new SandboxUnavailableError(reason.trim());
}

/** The warning for a stderr line that reports a disabled sandbox. */
export function sandboxWarning(line: string): Warning | undefined {
  const reason = /Sandbox disabled: (.*)/.exec(line)?.[1];
  if (reason === undefined) return undefined;
  return warning('sandbox-unavailable', `Commands run without the sandbox that the settings require: ${reason}`, {
    reason,
  });
}

/** How a process ended, and its output. */
interface Ending {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** Output on stdout other than JSON. */
  readonly stdout?: string | undefined;
  readonly stdoutWasEmpty?: boolean | undefined;
}

/** Advice about a failed process, derived from its output first, then from how it ended. */
export function hintFor({ exitCode, signal, stderr, stdout = '', stdoutWasEmpty = false }: Ending): string {
  const fromText = hintFromText(stderr) ?? hintFromText(stdout);
  if (fromText !== undefined) return fromText;
  if (exitCode === 1 && stdoutWasEmpty && stderr.trim() === '') return `It printed nothing. ${LOGIN}`;
  if (signal !== null)
    return BY_SIGNAL[signal] ?? 'It was killed by a signal from another process; find out which one.';
  return (exitCode === null ? undefined : BY_CODE[exitCode]) ?? BY_DEFAULT;
}

/** Advice derived from a text of the CLI. */
export function hintFromText(text: string): string | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}

const LOGIN = 'The CLI may not be logged in: run claude and log in, or pass apiKey.';

const BY_DEFAULT = "Run the same command by hand, or read onStderr with extraArgs: { 'debug-to-stderr': true }.";

const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/please run \/login|not logged in|waiting for login/i, LOGIN],
  [
    /unknown option/i,
    'This CLI does not support one of its flags: it is too old for an option, or extraArgs names an unknown flag. Update it.',
  ],
  [/argument '[^']*' is invalid|Allowed choices are/i, 'An option has a value this CLI does not accept.'],
  [/Invalid MCP configuration|MCP config file not found/i, 'Check mcpServers and mcpConfigPath.'],
  [/Settings file not found|Error processing settings|Invalid settings/i, 'Check the option settings.'],
  [/Invalid setting source/i, 'settingSources takes user, project and local.'],
  [/Invalid --agents configuration/i, 'Check the option agents.'],
  [/--json-schema/i, 'Check the JSON Schema of outputSchema.'],
  [/Session ID \S+ is already in use/i, 'This sessionId exists already: resume it, or use another.'],
  [/Invalid session ID/i, 'sessionId must be a UUID.'],
  [
    /requires a valid session ID|No conversation found/i,
    'This working directory and config directory have no such conversation.',
  ],
  [
    /cannot be used with root/i,
    'bypassPermissions does not work as root: run as another user, or choose allowedTools.',
  ],
  [/Input must be provided/i, 'The CLI received no prompt.'],
  [/uv_cwd|getcwd/i, 'Its working directory no longer exists: pass another cwd.'],
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
  SIGTERM: 'Another process stopped it (SIGTERM): a supervisor, a container stop, a deploy.',
};

const BY_CODE: Readonly<Record<number, string | undefined>> = {
  2: 'Programs use this code for wrong arguments: check extraArgs, and a wrapper script if cli is one.',
  126: 'The file is not executable: check its mode and the mount options.',
  127: 'A program was not found: the CLI path is wrong, or a wrapper script calls something that is missing.',
  129: BY_SIGNAL.SIGHUP,
  130: BY_SIGNAL.SIGINT,
  134: BY_SIGNAL.SIGABRT,
  137: BY_SIGNAL.SIGKILL,
  139: BY_SIGNAL.SIGSEGV,
  143: BY_SIGNAL.SIGTERM,
};
