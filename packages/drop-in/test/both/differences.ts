/** A declared difference between the drop-in and the official SDK. */
export interface WantedDifference {
  readonly official: unknown;
  readonly dropIn: unknown;
  /** The first and the last cell of its row in `docs/drop-in-differences.md`. */
  readonly what: string;
  readonly why: string;
  /** For the cells between them, if the values are too long. */
  readonly shown?: { readonly official: string; readonly dropIn: string };
}

/** All differences that the comparisons in this folder expect; `npm run docs` generates a page from them. */
export const DIFFERENCES = {
  entrypoint: {
    official: 'sdk-ts',
    dropIn: 'coxswain',
    what: '`CLAUDE_CODE_ENTRYPOINT`, unless the program sets it',
    why: 'The drop-in identifies itself as Coxswain. The CLI then also offers the agent `claude-code-guide`.',
  },
  'variables of the host': {
    official: ['NoDefaultCurrentDirectoryInExePath'],
    dropIn: [],
    what: 'Environment variables that `import` sets in the host process',
    why: 'A library should not change the process that loads it.',
  },
  'missing working directory': {
    official: false,
    dropIn: true,
    what: 'Whether the error of a `cwd` that does not exist names the folder',
    why: 'The official message names the executable as the cause. The name of the error is the same.',
  },
  causes: {
    official: ['none', 'none', 'none'],
    dropIn: ['process', 'process', 'spawn'],
    shown: { official: 'none', dropIn: 'an error of `coxswain`, with a `code`' },
    what: 'The `cause` of the errors for a bad exit, an error result and a program that cannot be started',
    why: 'It has the data of the failure, typed and redacted. Class, name and text of the error are the same.',
  },
  'null on stdout': {
    official: 'TypeError',
    dropIn: 'nothing',
    what: 'What the loop throws when the CLI writes `null` to stdout',
    why: 'A line that is not a message, such as the output of a wrapper, does not end a run.',
  },
  'input that throws': {
    official: 'none',
    dropIn: 'the rope broke',
    shown: { official: 'none', dropIn: 'the error of the iterable' },
    what: 'The `cause` of the `AbortError` when the prompt iterable throws',
    why: 'The error of the program is not lost. Class and text of the `AbortError` are the same.',
  },
  'variables of a query': {
    official: ['CLAUDE_AGENT_SDK_VERSION', 'NoDefaultCurrentDirectoryInExePath'],
    dropIn: [],
    what: 'Environment variables that `query()` sets in the host process',
    why: 'Child processes of the program, and other queries, do not inherit them.',
  },
  matchDeniedModels: {
    official: { denied: [true, false], warnings: [] },
    dropIn: 'NotSupportedError',
    shown: { official: 'works', dropIn: '`NotSupportedError`' },
    what: '`matchDeniedModels()` (alpha)',
    why: 'It is not documented how model names are matched.',
  },
  'invalid arguments of a tool': {
    official: true,
    dropIn: false,
    what: 'Whether the model reads the issues of wrong tool arguments as JSON',
    why: 'Each package contains its own copy of the MCP library.',
  },
  'stderr callback that throws': {
    official: false,
    dropIn: true,
    what: 'Whether the program continues after its `stderr` callback has thrown',
    why: 'The official SDK ends the process with an uncaught exception.',
  },
  'stubborn CLI': {
    official: true,
    dropIn: false,
    what: 'Whether a CLI that ignores the end of its input and SIGTERM is left behind by a program that closes the query and exits',
    why: 'No process is left behind.',
  },
} satisfies Record<string, WantedDifference>;
