import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options, Query } from '@coxswain/drop-in';
import { compare, SAME } from './compare.ts';
import { classOf, errorOf, Input } from './facts.ts';
import type { Stage } from './stage.ts';

compare(
  '[U-10] what query() throws at the call',
  async (stage) => {
    process.env.COXSWAIN_CLI = join(stage.home.root, 'no-such-claude');
    const noCli = atCall(stage, { pathToClaudeCodeExecutable: '' });
    const broken = new Error('no boat');
    const failure = (options: object) => {
      const error = atCall(stage, options);
      return { ...Object(errorOf(error, stage.sdk)), ...classOf(error) };
    };
    return {
      'hooks that are no list': failure({ hooks: { Stop: {} } }),
      'hooks without a matcher': failure({ hooks: { Stop: [() => ({})] } }),
      'agents that are no JSON': failure({ agents: { boat: { description: 1n } } }),
      'a schema that contains itself': failure({ outputFormat: { type: 'json_schema', schema: LOOP } }),
      'allowedTools that are no list': atCall(stage, { allowedTools: 'Read' as never }) instanceof TypeError,
      'no CLI: name and beginning': String(noCli).split('. ')[0],
      'no CLI: the option that helps': String(noCli).includes('options.pathToClaudeCodeExecutable'),
      'no CLI: startup()': String(await rejection(stage.sdk.startup({ options: {} }))).split('. ')[0],
      'a cwd that is a file': codeOf(atCall(stage, { cwd: stage.script('exit 0') })),
      'a cwd of another scheme': codeOf(atCall(stage, { cwd: new URL('http://boat/') as unknown as string })),
      'a zero byte in an argument': codeOf(atCall(stage, { extraArgs: { boat: 'a\0b' } })),
      'a zero byte in the environment': codeOf(atCall(stage, { env: { BOAT: 'a\0b' } })),
      'a spawnClaudeCodeProcess that throws':
        atCall(stage, {
          spawnClaudeCodeProcess: () => {
            throw broken;
          },
        }) === broken,
    };
  },
  {
    'hooks that are no list': SAME,
    'hooks without a matcher': SAME,
    'agents that are no JSON': SAME,
    'a schema that contains itself': SAME,
    'allowedTools that are no list': true,
    'no CLI: name and beginning': `Error: Native CLI binary for ${process.platform}-${process.arch} not found`,
    'no CLI: the option that helps': true,
    'no CLI: startup()': `Error: Native CLI binary for ${process.platform}-${process.arch} not found`,
    'a cwd that is a file': 'Error ENOTDIR',
    'a cwd of another scheme': 'TypeError ERR_INVALID_URL_SCHEME',
    'a zero byte in an argument': 'TypeError ERR_INVALID_ARG_VALUE',
    'a zero byte in the environment': 'TypeError ERR_INVALID_ARG_VALUE',
    'a spawnClaudeCodeProcess that throws': true,
  },
  { setsHostEnv: true },
);

compare(
  '[U-10] what the loop throws for a program that does not start',
  async (stage) => {
    const program = join(stage.home.root, 'no-interpreter');
    writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 });
    const noInterpreter = await stage.run('Hi.', { pathToClaudeCodeExecutable: program });
    const noFolder = await stage.run('Hi.', { cwd: join(stage.home.root, 'nowhere') });
    return {
      'a script without its interpreter': classOf(noInterpreter.thrown),
      'a missing cwd': classOf(noFolder.thrown),
      'a missing cwd: code': codeOf(noFolder.thrown),
    };
  },
  { 'a script without its interpreter': SAME, 'a missing cwd': SAME, 'a missing cwd: code': 'ReferenceError ENOENT' },
);

/** Answers the handshake, refuses the models, and exits with code 5 when the MCP servers are asked for. Reads to its end otherwise. */
const PICKY = cliOf(`
  if (subtype === 'initialize') answer({ subtype: 'success', response: { commands: [], models: [], agents: [] } });
  if (subtype === 'set_model') answer({ subtype: 'error', error: 'no such model' });
  if (subtype === 'get_context_usage') process.exit(5);
`);

compare(
  '[U-10] a control request that fails',
  async (stage) => {
    const refused = open(stage, PICKY);
    const model = await rejection(refused.setModel('x'));
    const dies = await rejection(refused.getContextUsage());
    const later = await rejection(refused.setModel('x'));
    const controller = new AbortController();
    const aborted = open(stage, PICKY, { abortController: controller });
    await aborted.initializationResult();
    const waiting = rejection(aborted.mcpServerStatus());
    controller.abort();
    const rude = cliOf("answer({ subtype: 'error', error: 'no thanks' });");
    const greeting = await rejection(open(stage, rude).initializationResult());
    const failure = (error: unknown) => ({ ...Object(errorOf(error, stage.sdk)), ...classOf(error) });
    return {
      'that the CLI refuses': failure(model),
      'that waits when the CLI exits': failure(dies),
      'after the exit': failure(later),
      'that waits during an abort': failure(await waiting),
      'the handshake': failure(greeting),
      'startup()': failure(
        await rejection(
          stage.sdk.startup({ options: stage.options({ pathToClaudeCodeExecutable: script(stage, rude) }) }),
        ),
      ),
    };
  },
  {
    'that the CLI refuses': {
      name: 'Error',
      message: 'no such model',
      abort: false,
      errorClass: 'control_request_failed',
      telemetryMessage: 'Claude Code control request failed (set_model)',
    },
    'that waits when the CLI exits': SAME,
    'after the exit': SAME,
    'that waits during an abort': {
      name: 'Error',
      message: 'Operation aborted',
      abort: true,
      errorClass: 'aborted',
      telemetryMessage: 'Operation aborted',
    },
    'the handshake': SAME,
    'startup()': SAME,
  },
);

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

compare(
  '[U-10] an id that a session function does not accept',
  async ({ sdk }) => {
    const failure = async (promise: Promise<unknown>) => {
      const error = await rejection(promise);
      return { ...Object(errorOf(error, sdk)), ...classOf(error) };
    };
    const store = new sdk.InMemorySessionStore();
    return {
      'forkSession()': await failure(sdk.forkSession('boat')),
      'deleteSession()': await failure(sdk.deleteSession('boat')),
      'archiveSession()': await failure(sdk.archiveSession('boat')),
      'archiveSession() of an unknown one': await failure(sdk.archiveSession(UNKNOWN)),
      'unarchiveSession() with a store': await failure(sdk.unarchiveSession(UNKNOWN, { sessionStore: store })),
      'importSessionToStore()': await failure(sdk.importSessionToStore('boat', store)),
      'renameSession()': await failure(sdk.renameSession('boat', 'Ariel')),
    };
  },
  {
    'forkSession()': SAME,
    'deleteSession()': SAME,
    'archiveSession()': SAME,
    'archiveSession() of an unknown one': SAME,
    'unarchiveSession() with a store': SAME,
    'importSessionToStore()': SAME,
    'renameSession()': SAME,
  },
);

/** Options that programs in JavaScript set to nothing. */
const NOTHING: Readonly<Record<string, null | ''>> = {
  ...{ agent: '', effort: null, fallbackModel: '', permissionMode: null, permissionPrompts: null, resume: null },
  ...{ sessionId: null, debugFile: '', resumeSessionAt: null, permissionPromptToolName: '', thinking: null },
  ...{ sandbox: null, sessionStore: null, mcpServers: null, hooks: null, plugins: null, extraArgs: null },
};

compare(
  '[U-10] options of JavaScript',
  async (stage) => {
    const file = join(stage.home.root, 'argv.txt');
    const listing = stage.script(`printf '%s ' "$@" > '${file}'`, 'exit 7');
    const argvOf = async (options: object) => {
      await stage.run('Hi.', { ...options, model: '', pathToClaudeCodeExecutable: listing });
      return readFileSync(file, 'utf8');
    };
    return {
      'without a value': await argvOf(NOTHING),
      'extraArgs of other types': await argvOf({ extraArgs: { a: 5, b: true, c: undefined } }),
      'a cwd of null': await argvOf({ cwd: null }),
    };
  },
  {
    'without a value': SAME,
    'extraArgs of other types': SAME,
    'a cwd of null': SAME,
  },
);

/** An object that cannot be written as JSON. */
const LOOP: Record<string, unknown> = {};
LOOP.again = LOOP;

/** What query() throws; closes the query if it throws nothing. */
function atCall(stage: Stage, options: object): unknown {
  try {
    const started = stage.sdk.query({ prompt: 'Hi.', options: { ...stage.options(), ...options } });
    started.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Name and code of an error. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? `${error.name} ${error.code}` : String(error);
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** A CLI in JavaScript that runs this for each control request. */
function cliOf(onRequest: string): string {
  return `
import { createInterface } from 'node:readline';
const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { type, request_id, request } = JSON.parse(line);
    if (type !== 'control_request') return;
    const { subtype } = request;
    const answer = (response) => say({ type: 'control_response', response: { request_id, ...response } });
    ${onRequest}
  })
  .on('close', () => process.exit(0));
`;
}

function script(stage: Stage, source: string): string {
  const path = join(stage.home.root, 'cli.mjs');
  writeFileSync(path, source);
  return path;
}

/** A query that gets no prompt. */
function open(stage: Stage, source: string, options: Options = {}): Query {
  const path = script(stage, source);
  const query = stage.sdk.query({
    prompt: new Input(),
    options: stage.options({ pathToClaudeCodeExecutable: path, ...options }),
  });
  query.next().catch(() => {});
  return query;
}
