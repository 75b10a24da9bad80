import { PINNED_VERSION } from '../../src/cli/version.ts';
import type { CoxswainError } from '../../src/errors/base.ts';
import { McpServerCollisionError, McpServerUnavailableError } from '../../src/errors/mcp-server.ts';
import { OptionsError, UnsupportedOptionError } from '../../src/errors/options.ts';
import { CannotParkError, ParkedRequestError, TurnParkedError } from '../../src/errors/park.ts';
import {
  CheckpointingNotEnabledError,
  ControlRequestError,
  ControlTimeoutError,
  DuplicateJobError,
  InitQueueOverflowError,
  NoSuchPermissionError,
  PoolClosedError,
  PoolQueueFullError,
  ReaderTooSlowError,
  RestartLimitError,
  ResultLostError,
  SessionNotForkableError,
  SessionStoppedError,
  SessionUnhealthyError,
  TooManyPendingRequestsError,
  TurnCancelledError,
  TurnEndedError,
  TurnInterruptedError,
  TurnNotKeptError,
  TurnQueueFullError,
  TurnStuckError,
  UnsupportedRequestError,
} from '../../src/errors/session.ts';
import {
  CliExitedDuringInitError,
  CliInstallError,
  CliNotFoundError,
  InitializationError,
  InitializationTimeoutError,
  IsolationUnavailableError,
  SandboxUnavailableError,
  UnknownVersionError,
  UnsupportedCliVersionError,
  VersionDetectionError,
} from '../../src/errors/start.ts';
import { StoreFailedError, StoreUnableError } from '../../src/errors/store.ts';
import {
  AbortError,
  BufferOverflowError,
  JsonDecodeError,
  NoResultError,
  ProcessError,
  ResultError,
  StreamConsumedError,
  StructuredOutputError,
  TimeoutError,
  TooManyDecodeErrors,
  TransportError,
  UnexpectedMessageError,
  Utf8DecodeError,
} from '../../src/errors/stream.ts';
import { McpLibraryMissingError, ToolServerBusyError, ToolServerStartError } from '../../src/errors/tool.ts';
import {
  MessageNotFoundError,
  SessionFileError,
  SessionNotFoundError,
  SubagentNotFoundError,
} from '../../src/errors/transcript.ts';
import { hintFor } from '../../src/process/process-failure.ts';
import { spawnFailure } from '../../src/process/spawn-failure.ts';
import type { ResultMessage } from '../../src/wire/messages.ts';

const failedResult: ResultMessage = {
  type: 'result',
  subtype: 'error_max_turns',
  uuid: '6f3c0d0e-0000-4000-8000-000000000001',
  session_id: '6f3c0d0e-0000-4000-8000-000000000002',
  is_error: true,
  num_turns: 3,
  duration_ms: 10,
  duration_api_ms: 9,
  total_cost_usd: 0.01,
  usage: { input_tokens: 1, output_tokens: 2 },
  modelUsage: {},
  permission_denials: [],
  stop_reason: null,
  errors: ['Reached maximum number of turns (3)'],
};

/** A realistic error, the names that its message must contain, and the advice that it must give. */
interface Sample {
  readonly error: CoxswainError;
  readonly names: readonly string[];
  readonly advises: RegExp;
}

/** At least one sample of every error class. */
export const samples: readonly Sample[] = [
  {
    error: new OptionsError([
      { path: 'maxTurns', message: 'must be a whole number above 0, got -1' },
      { path: 'modle', message: 'unknown option; did you mean model?' },
    ]),
    names: ['maxTurns', 'got -1', 'modle'],
    advises: /must be .+ did you mean model/s,
  },
  {
    error: new UnsupportedOptionError({ option: 'effort', flag: '--effort', found: '2.1.97', required: '2.1.211' }),
    names: ['effort', '--effort', '2.1.97', '2.1.211'],
    advises: /Update the CLI, pass cli: 'pinned', or leave the option out/,
  },
  {
    error: new UnsupportedOptionError({
      option: 'hooks.PostToolBatch',
      flag: undefined,
      found: '2.1.97',
      required: '2.1.118',
    }),
    names: ['hooks.PostToolBatch', '2.1.97', '2.1.118'],
    advises: /Update the CLI, pass cli: 'pinned', or leave the option out/,
  },
  {
    error: new UnsupportedRequestError({ kind: 'get_usage', found: '2.1.97', required: '2.1.169' }),
    names: ['get_usage', '2.1.97', '2.1.169'],
    advises: /Update the CLI, or pass cli: 'pinned'/,
  },
  {
    error: new CliNotFoundError([
      { place: 'COXSWAIN_CLI', reason: 'not set' },
      { place: '/usr/local/bin/claude', reason: 'is a directory' },
    ]),
    names: ['COXSWAIN_CLI (not set)', '/usr/local/bin/claude (is a directory)'],
    advises: /npm install -g @anthropic-ai\/claude-code.+cli: 'pinned'/s,
  },
  {
    error: new CliInstallError('the registry cannot be reached. Check the network and the npm proxy settings.', {
      version: PINNED_VERSION,
      directory: '/home/me/.cache/coxswain',
      cause: new Error('getaddrinfo ENOTFOUND'),
    }),
    names: [PINNED_VERSION, '/home/me/.cache/coxswain', 'the registry cannot be reached'],
    advises: /Check the network/,
  },
  {
    error: new UnsupportedCliVersionError({
      found: '2.0.77',
      required: '2.1.97',
      path: '/opt/claude',
      feature: 'Coxswain',
    }),
    names: ['/opt/claude', '2.0.77', '2.1.97', 'Coxswain'],
    advises: /Update it .+cli: 'pinned'/,
  },
  {
    error: new UnknownVersionError({ path: '/opt/claude', output: 'Hello from a wrapper' }),
    names: ['/opt/claude', 'Hello from a wrapper'],
    advises: /Check that it is Claude Code, or pass versionCheck: 'warn'/,
  },
  {
    error: new VersionDetectionError({ path: '/opt/claude', reason: 'no answer within 5000 ms' }),
    names: ['/opt/claude', 'no answer within 5000 ms'],
    advises: /Run it with --version yourself, or pass versionCheck: 'warn'/,
  },
  {
    error: spawnFailure(Object.assign(new Error('spawn /opt/claude ENOENT'), { code: 'ENOENT' }), {
      argv: ['/opt/claude'],
      env: {},
      cwd: '/nowhere',
      privateFiles: [],
    }),
    names: ['/nowhere', 'does not exist', '/opt/claude'],
    advises: /Create it or pass another cwd/,
  },
  {
    error: ended({ exitCode: 1, signal: null, stderrTail: "error: unknown option '--effort'\n" }),
    names: ['code 1', 'without a result', "unknown option '--effort'"],
    advises: /too old for an option.+Update it/,
  },
  {
    error: ended({
      exitCode: null,
      signal: 'SIGKILL',
      stderrTail: '',
      lastNonJsonLine: 'Killed',
      result: failedResult,
    }),
    names: ['SIGKILL', 'after its result', 'Killed'],
    advises: /look at the kernel log/,
  },
  {
    error: ended({ exitCode: 1, signal: null, stderrTail: 'Something nobody has seen before' }),
    names: ['code 1', 'without a result', 'Something nobody has seen before'],
    advises: /by hand|debug/,
  },
  {
    error: new TransportError('Writing to the CLI failed: it closed its stdin. Run again.', new Error('EPIPE')),
    names: ['Writing to the CLI failed'],
    advises: /Run again/,
  },
  {
    error: new BufferOverflowError(16_777_216),
    names: ['16777216'],
    advises: /Raise limits\.maxLineBytes/,
  },
  {
    error: new TooManyDecodeErrors(5, new JsonDecodeError('Welcome!')),
    names: ['5 lines in a row', 'Welcome!'],
    advises: /Check the option cli and any wrapper/,
  },
  {
    error: new Utf8DecodeError(new Uint8Array([0xc3, 0x28])),
    names: ['2 bytes', 'stdout', 'UTF-8'],
    advises: /Another program may be writing to it/,
  },
  {
    error: new JsonDecodeError('Welcome!', new SyntaxError('Unexpected token W')),
    names: ['stdout', 'Welcome!'],
    advises: /A wrapper script or an old CLI may be printing it/,
  },
  {
    error: new UnexpectedMessageError('[1,2]'),
    names: ['"[1,2]"', 'no string "type"'],
    advises: /The run continues without it/,
  },
  {
    error: new AbortError(new Error('the user pressed Escape')),
    names: ["the caller's signal", 'the user pressed Escape'],
    advises: /aborted by the caller/,
  },
  {
    error: new TimeoutError('timeoutMs', 5000),
    names: ['timeoutMs', '5000 ms'],
    advises: /Raise it/,
  },
  {
    error: new TimeoutError('idleTimeoutMs', 700),
    names: ['idleTimeoutMs', '700 ms', 'sent nothing'],
    advises: /Raise it/,
  },
  {
    error: new StreamConsumedError(),
    names: ['being iterated'],
    advises: /Iterate it once/,
  },
  {
    error: new NoResultError('the stream was closed before it arrived. Await it before closing'),
    names: ['without a result', 'the stream was closed'],
    advises: /Await it/,
  },
  {
    error: new ResultError('max-turns', failedResult),
    names: ['max-turns', 'Reached maximum number of turns (3)'],
    advises: /outcomeOf\(error\.result\) has the details/,
  },
  {
    error: new StructuredOutputError('absent', failedResult),
    names: ['no structured output', 'the model did not return one'],
    advises: /Ask for it in the prompt/,
  },
  {
    error: new StructuredOutputError('absent', failedResult, [], false),
    names: ['no structured output', 'outputSchema was not set'],
    advises: /Set it, or use text\(\)/,
  },
  {
    error: new StructuredOutputError('retries', failedResult),
    names: ['retries'],
    advises: /Simplify the schema/,
  },
  {
    error: new StructuredOutputError('invalid', failedResult, [
      { message: 'expected a number', path: ['items', 0, 'price'] },
      { message: 'no name' },
    ]),
    names: ['items.0.price: expected a number', 'no name'],
    advises: /Loosen the schema, or explain it in the prompt/,
  },
  {
    error: new McpServerUnavailableError([
      { name: 'db', status: 'failed', reason: 'ENOENT', requiredBy: 'allowedTools' },
      { name: 'web', status: 'pending', reason: null, requiredBy: 'mcpServers' },
    ]),
    names: ['"db"', 'ENOENT', 'allowedTools', '"web"', 'limits.serverStartMs'],
    advises: /required: false/,
  },
  {
    error: new McpServerCollisionError({ server: 'x_y', allowedBy: 'mcpServers.x.y' }),
    names: ['"x_y"', 'mcpServers.x.y'],
    advises: /Rename one of them/,
  },
  { error: new IsolationUnavailableError('bwrap was not found'), names: ['bwrap'], advises: /Install bubblewrap/ },
  { error: new SandboxUnavailableError('bwrap not installed'), names: ['bwrap'], advises: /Install/ },
  {
    error: new InitializationTimeoutError(60_000, { stderrTail: 'hook runs' }),
    names: ['60000 ms', 'hook runs'],
    advises: /raise the limit/,
  },
  {
    error: new InitializationError('bad hooks', { stderrTail: '' }),
    names: ['bad hooks'],
    advises: /Check the options/,
  },
  {
    error: new CliExitedDuringInitError(
      { exitCode: 1, signal: null, hint: hintFor({ exitCode: 1, signal: null, stderr: '' }) },
      { stderrTail: '', said: 'No conversation found' },
    ),
    names: ['code 1', 'No conversation found'],
    advises: /by hand/,
  },
  {
    error: new ControlTimeoutError('set_model', 'req_3', 500),
    names: ['set_model', 'req_3', '500 ms'],
    advises: /health/,
  },
  {
    error: new ControlTimeoutError('set_model', undefined, 20),
    names: ['set_model was not sent within 20 ms', 'was not ready'],
    advises: /health/,
  },
  {
    error: new ControlRequestError('set_model', 'no such model', 'not_found'),
    names: ['set_model', 'no such model'],
    advises: /Check its arguments/,
  },
  { error: new SessionStoppedError('set_model was not sent'), names: ['set_model'], advises: /Open a new one/ },
  { error: new TooManyPendingRequestsError(64), names: ['64'], advises: /Await some/ },
  { error: new InitQueueOverflowError(16), names: ['16'], advises: /Await session.ready/ },
  { error: new CheckpointingNotEnabledError(), names: ['rewindFiles'], advises: /fileCheckpointing: true/ },
  { error: new NoSuchPermissionError('p1'), names: ['p1'], advises: /pendingPermissions/ },
  { error: new TurnQueueFullError(1_000), names: ['1000'], advises: /Await some/ },
  { error: new TurnEndedError(), names: ['not running'], advises: /session.send/ },
  { error: new TurnCancelledError(), names: ['never sent'], advises: /Send it again/ },
  { error: new TurnStuckError(5_000, new Error('x')), names: ['5000 ms'], advises: /resume/ },
  { error: new SessionNotForkableError(), names: ['cannot be forked'], advises: /Await a turn/ },
  { error: new ReaderTooSlowError(100), names: ['100'], advises: /Read faster/ },
  { error: new TurnNotKeptError(100), names: ['100'], advises: /Iterate it right after send/ },
  { error: new ResultLostError(200, 100), names: ['200', '100'], advises: /Raise the limit/ },
  { error: new PoolQueueFullError(1_000), names: ['1000'], advises: /Wait until some of them finish/ },
  { error: new PoolQueueFullError(5, 'user-1'), names: ['5', 'user-1'], advises: /raise the limit/ },
  { error: new PoolClosedError(), names: ['not started'], advises: /another pool/ },
  { error: new DuplicateJobError('j1'), names: ['j1'], advises: /Use another id/ },
  { error: new SessionUnhealthyError('it is mute'), names: ['it is mute'], advises: /send the prompt again/ },
  { error: new SessionNotFoundError('s1', ['/c/projects/a']), names: ['s1', '/c/projects/a'], advises: /listSessions/ },
  {
    error: new SessionNotFoundError('s1', []),
    names: ['s1', 'no sessions are on disk'],
    advises: /check configDir and cwd/,
  },
  { error: new SubagentNotFoundError('s1', 'a1'), names: ['s1', 'a1'], advises: /getSession\(\) lists/ },
  { error: new MessageNotFoundError('s1', 'm1'), names: ['s1', 'm1'], advises: /getSessionMessages/ },
  {
    error: new SessionFileError('Reading', '/c/projects/a', new Error('EACCES: permission denied')),
    names: ['Reading /c/projects/a', 'EACCES'],
    advises: /Check its owner/,
  },
  {
    error: new StoreFailedError({ operation: 'append', sessionId: 's1', attempts: 3, cause: new Error('disk full') }),
    names: ['s1', '3 times', 'disk full'],
    advises: /check the store/,
  },
  { error: new StoreUnableError('listSessions'), names: ['listSessions()'], advises: /Use a store that has it/ },
  {
    error: new TurnInterruptedError({ turn: 't1', text: 'half', messages: [], cause: new Error('SIGKILL') }),
    names: ['died', 'SIGKILL'],
    advises: /send the prompt again/,
  },
  {
    error: new RestartLimitError(5, 60_000, new Error('SIGKILL.')),
    names: ['5 restarts', '60000 ms', 'SIGKILL'],
    advises: /open a new session with resume/,
  },
  { error: new CannotParkError('r1', 'subagent'), names: ['r1', 'subagent'], advises: /still waits for its answer/ },
  { error: new TurnParkedError('s1', 'toolu_1'), names: ['toolu_1'], advises: /openSession\(\{ parked \}\)/ },
  {
    error: new ParkedRequestError({ sessionId: 's1', toolUseId: 'toolu_1', problem: 'finished' }),
    names: ['toolu_1', 's1'],
    advises: /Resume the conversation/,
  },
  { error: new ToolServerBusyError('calc'), names: ['calc'], advises: /create/ },
  { error: new ToolServerStartError('calc', 'no socket'), names: ['calc', 'no socket'], advises: /./ },
  {
    error: new McpLibraryMissingError({
      library: '@modelcontextprotocol/server',
      range: '2',
      cause: new Error('x'),
    }),
    names: ['@modelcontextprotocol/server'],
    advises: /npm install/,
  },
];

/** A failed process, with the hint of a real run. */
function ended(failure: Omit<ConstructorParameters<typeof ProcessError>[0], 'stdoutWasEmpty'>): ProcessError {
  const { exitCode, signal, stderrTail } = failure;
  return new ProcessError({
    ...failure,
    stdoutWasEmpty: true,
    hint: hintFor({ exitCode, signal, stderr: stderrTail }),
  });
}
