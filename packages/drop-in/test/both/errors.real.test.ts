import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiError, delay, text, toolUse } from '@coxswain/testkit';
import { waitUntil } from '../../../../conformance/harness/wait-until.ts';
import { compare, differs, SAME } from './compare.ts';
import { classOf, errorOf, Input, labels, outcomeOf, thrownBy, userMessage } from './facts.ts';
import { type Run, readAll, type Stage } from './stage.ts';

const FAILED = result({ subtype: 'error_during_execution', is_error: true, errors: ['first', 'second'] });
const STARTED = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', uuid: 'u' });
const REFUSED = result({ is_error: true, result: 'No.' });

/** Either text, depending on whether the CLI has exited when the abort is detected. */
const ABORTED = ['Claude Code process aborted by user', 'Operation aborted'];

compare(
  '[U-2] a CLI that exits',
  async (stage) => ({
    'code 7 and stderr': await endOf(stage, 'echo "out of rope" >&2', 'exit 7'),
    'code 7': await endOf(stage, 'exit 7'),
    'code 0 without a message': await endOf(stage, 'exit 0'),
    'by a signal': await endOf(stage, 'kill -9 $$'),
    'after lines that are not JSON': await endOf(stage, 'echo "ahoy"', 'echo', 'exit 0'),
    'code 3 after a good result': await endOf(stage, `echo '${result({ result: 'Fine.' })}'`, 'exit 3'),
    'code 1 after an error result': await endOf(stage, `echo '${FAILED}'`, 'exit 1'),
    'code 0 after an error result': await endOf(stage, `echo '${FAILED}'`, 'exit 0'),
    'code 1 after an error result with a text': await endOf(stage, `echo '${REFUSED}'`, 'exit 1'),
  }),
  {
    'code 7 and stderr': failed('Claude Code process exited with code 7. stderr: out of rope'),
    'code 7': failed('Claude Code process exited with code 7'),
    'code 0 without a message': { messages: [], thrown: 'nothing' },
    'by a signal': failed('Claude Code process terminated by signal SIGKILL'),
    'after lines that are not JSON': { messages: [], thrown: 'nothing' },
    'code 3 after a good result': failed('Claude Code process exited with code 3', 'result success'),
    'code 1 after an error result': failed(
      'Claude Code returned an error result: first; second',
      'result error_during_execution error',
    ),
    'code 0 after an error result': { messages: ['result error_during_execution error'], thrown: 'nothing' },
    'code 1 after an error result with a text': failed(
      'Claude Code returned an error result: No.',
      'result success error',
    ),
  },
);

compare(
  '[U-10] the cause of an error',
  async (stage) => {
    const scripts = [stage.script('exit 7'), stage.script(`echo '${FAILED}'`, 'exit 1'), join(stage.home.root, 'none')];
    const causes = [];
    for (const cli of scripts) {
      const { thrown } = await stage.run('Hi.', { pathToClaudeCodeExecutable: cli });
      const { cause } = Object(thrown);
      causes.push(cause === undefined ? 'none' : cause.code);
    }
    const other = await stage.run('Hi.', { pathToClaudeCodeExecutable: stage.script('echo null') });
    return { 'has the code': causes, 'null on stdout': other.thrown instanceof Error ? other.thrown.name : 'nothing' };
  },
  { 'has the code': differs('causes'), 'null on stdout': differs('null on stdout') },
);

compare(
  '[U-2] a CLI that cannot start',
  async (stage) => {
    const missing = join(stage.home.root, 'no-such-claude');
    const noFile = await stage.run('Hi.', { pathToClaudeCodeExecutable: missing });
    const noFolder = await stage.run('Hi.', { cwd: join(stage.home.root, 'nowhere') });
    const dead = stage.sdk.query({
      prompt: new Input(),
      options: stage.options({ pathToClaudeCodeExecutable: stage.script('exit 9') }),
    });
    writeFileSync(join(stage.home.root, 'cli.mjs'), '');
    const noRuntime = await stage.run('Hi.', {
      pathToClaudeCodeExecutable: join(stage.home.root, 'cli.mjs'),
      executable: 'no-such-runtime' as 'bun',
    });
    const seven = await stage.run('Hi.', { pathToClaudeCodeExecutable: stage.script('exit 7') });
    const killed = await stage.run('Hi.', { pathToClaudeCodeExecutable: stage.script('kill -9 $$') });
    const refused = await stage.run('Hi.', { pathToClaudeCodeExecutable: stage.script(`echo '${FAILED}'`, 'exit 1') });
    return {
      'classes of errors': [noFile, noFolder, noRuntime, seven, killed, refused].map(({ thrown }) => classOf(thrown)),
      'no executable': firstSentence(noFile.thrown),
      'no working directory: the beginning': String(noFolder.thrown).includes('exists but failed to launch'),
      'no working directory: name of the error': nameOf(noFolder.thrown),
      'no working directory: the error names it': String(noFolder.thrown).includes('/nowhere'),
      'its handshake': await outcomeOf(dead.initializationResult(), stage.sdk),
      'its control requests': await outcomeOf(dead.setModel('haiku'), stage.sdk),
    };
  },
  {
    'classes of errors': SAME,
    'no working directory: the beginning': true,
    'no executable': 'ReferenceError: Claude Code native binary not found at <root>/no-such-claude',
    'no working directory: name of the error': 'ReferenceError',
    'no working directory: the error names it': differs('missing working directory'),
    'its handshake': SAME,
    'its control requests': SAME,
  },
);

compare(
  '[U-2] options that exclude each other',
  async (stage) => {
    const calling = (options: Parameters<Stage['options']>[0]) =>
      thrownBy(() => stage.sdk.query({ prompt: 'Hi.', options: stage.options(options) }).close(), stage.sdk);
    const canUseTool = async () => ({ behavior: 'allow' as const });
    return {
      'canUseTool and permissionPromptToolName': calling({ canUseTool, permissionPromptToolName: 'mcp__a__b' }),
      'model and the same fallbackModel': calling({ model: 'opus', fallbackModel: 'opus' }),
      'a plugin of an unknown type': calling({ plugins: [{ type: 'git' as 'local', path: '/a' }] }),
      'an option that does not exist': calling({ ...({ noSuchOption: true, appendSystemPrompt: 'x' } as object) }),
    };
  },
  {
    'canUseTool and permissionPromptToolName': SAME,
    'model and the same fallbackModel': SAME,
    'a plugin of an unknown type': SAME,
    'an option that does not exist': { value: null },
  },
);

compare(
  '[U-2] an error of the API',
  async (stage) => {
    stage.say(apiError(401, { message: 'invalid x-api-key' }));
    const refused = await stage.run('Hi.');
    stage.say(apiError(400, { message: 'too many oars' }), text('Better.'));
    const input = new Input('One.');
    let results = 0;
    const recovered = await stage.run(input, {}, (message) => {
      if (message.type !== 'result') return;
      results += 1;
      if (results === 1) input.send('Two.');
      else input.end();
    });
    return {
      'refused key': endedLike(stage, refused),
      'refused key: the result': refused.result?.subtype === 'success' ? refused.result.result : null,
      'followed by a good turn': endedLike(stage, recovered),
    };
  },
  {
    'refused key': {
      messages: ['system init', 'assistant text', 'result success error'],
      thrown: {
        name: 'Error',
        message: 'Claude Code returned an error result: Invalid API key · Fix external API key',
        abort: false,
      },
    },
    'refused key: the result': 'Invalid API key · Fix external API key',
    'followed by a good turn': SAME,
  },
);

compare(
  '[U-2] a run that the CLI ends',
  async (stage) => {
    stage.say(toolUse('Read', { file_path: stage.file('a.txt') }), text('Never said.'));
    const turns = await stage.run('Read.', { maxTurns: 1 });
    const resume = '00000000-0000-4000-8000-000000000000';
    const unknown = await stage.run('Hi.', { resume });
    const flag = await stage.run('Hi.', { extraArgs: { 'no-such-flag': null } });
    return {
      'maxTurns: messages and error': endedLike(stage, turns),
      'resume of an unknown session': endedLike(stage, unknown),
      'an unknown flag': endedLike(stage, flag),
    };
  },
  { 'maxTurns: messages and error': SAME, 'resume of an unknown session': SAME, 'an unknown flag': SAME },
);

compare(
  '[U-2] abort',
  async (stage) => {
    const before = new AbortController();
    before.abort();
    const early = thrownBy(
      () => stage.sdk.query({ prompt: 'Hi.', options: stage.options({ abortController: before }) }),
      stage.sdk,
    );
    stage.say([text('One.'), delay(20_000), text('Late.')]);
    const during = new AbortController();
    const query = stage.sdk.query({
      prompt: 'Count.',
      options: stage.options({ abortController: during, includePartialMessages: true }),
    });
    const { thrown } = await readAll(query, ({ type }) => type === 'stream_event' && during.abort());
    const arrived = new AbortController();
    // One write, so that both are there when the first one is read.
    const both = ['One.', 'Two.'].map((said) => `'${result({ result: said })}'`);
    const burst = stage.script(`printf '%s\\n' ${both.join(' ')}`, 'sleep 20');
    const options = stage.options({ pathToClaudeCodeExecutable: burst, abortController: arrived });
    const rest = await readAll(stage.sdk.query({ prompt: 'Hi.', options }), () => arrived.abort());
    return {
      'messages that had arrived': labels(rest.messages.slice(1)),
      'before the call': early,
      'class of the error': classOf(thrown)?.errorClass,
      'during a turn': thrown instanceof stage.sdk.AbortError && ABORTED.includes(thrown.message),
      'during a turn: next()': await query.next(),
      'processes left': await stage.left(),
    };
  },
  {
    'before the call': { name: 'Error', message: 'Operation aborted', abort: true },
    'messages that had arrived': ['result success'],
    'class of the error': 'aborted',
    'during a turn': true,
    'during a turn: next()': { done: true },
    'processes left': 0,
  },
);

compare(
  '[U-2] an input that throws',
  async (stage) => {
    // Says that it has started, and has the result ready a moment later.
    const answering = stage.script(
      `read line; read line; echo '${STARTED}'`,
      `sleep 0.2; echo '${result({ result: 'Done.' })}'; cat > /dev/null`,
    );
    let start: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    async function* input() {
      yield userMessage('One.');
      await started;
      throw new Error('the rope broke');
    }
    const options = { pathToClaudeCodeExecutable: answering };
    const { thrown, messages } = await stage.run(input(), options, () => start());
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    stage.say([delay(20_000), toolUse('Bash', { command: 'touch ran.txt' })], text('Late.'));
    const requests = stage.api.conversation.length;
    async function* inputThatThrowsLater() {
      yield userMessage('Two.');
      await waitUntil(() => stage.api.conversation.length > requests);
      throw new Error('the rope broke again');
    }
    const during = await stage.run(inputThatThrowsLater(), { allowedTools: ['Bash'] });
    return {
      'the messages before the error': labels(messages),
      'the error': errorOf(thrown, stage.sdk),
      'its cause': cause instanceof Error ? cause.message : 'none',
      'during a turn': labels(during.messages),
      'during a turn: the error': errorOf(during.thrown, stage.sdk),
      'processes left': await stage.left(8_000),
      'tools that ran': existsSync(stage.file('ran.txt')),
    };
  },
  {
    'the messages before the error': ['system init', 'result success'],
    'the error': { name: 'Error', message: ABORTED[1], abort: true },
    'its cause': differs('input that throws'),
    'during a turn': ['system init'],
    'during a turn: the error': { name: 'Error', message: ABORTED[0], abort: true },
    'processes left': 0,
    'tools that ran': false,
  },
);

/** The text that programs match on; the rest is advice. */
const firstSentence = (error: unknown): string => String(error).split('. ')[0] ?? '';

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'none');

function endedLike(stage: Stage, { messages, thrown }: Run): unknown {
  return { messages: labels(messages), thrown: errorOf(thrown, stage.sdk) };
}

/** Runs a shell script instead of the CLI. */
async function endOf(stage: Stage, ...lines: string[]): Promise<unknown> {
  return endedLike(stage, await stage.run('Hi.', { pathToClaudeCodeExecutable: stage.script(...lines) }));
}

function failed(message: string, ...messages: string[]): unknown {
  return { messages, thrown: { name: 'Error', message, abort: false } };
}

function result(fields: object): string {
  return JSON.stringify({ type: 'result', subtype: 'success', is_error: false, session_id: 's', uuid: 'u', ...fields });
}
