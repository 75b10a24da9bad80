import {
  type ApiRequest,
  type ApiScript,
  apiError,
  cutMidStream,
  delay,
  expectThat,
  type FakeApi,
  type Reply,
  type ReplyStep,
  redactedThinking,
  startFakeApi,
  stopReason,
  streamError,
  text,
  thinking,
  toolUse,
  until,
  usage,
} from '@coxswain/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { isolatedHome } from './harness/isolated-home.ts';
import { type PlainRun, type PlainRunOptions, plainRun } from './harness/plain-run.ts';
import { testedVersions } from './harness/real-cli.ts';
import { waitUntil } from './harness/wait-until.ts';

describe.each(testedVersions)('the fake API and the real CLI %s', (version) => {
  it('[K-2] serves a text reply', async () => {
    const { run, api } = await converse([text('Hello from the fake.')], { version, prompt: 'greet me' });
    expect(run.exitCode).toBe(0);
    expect(resultOf(run)).toMatchObject({ is_error: false, result: 'Hello from the fake.' });
    expect(api.conversation).toHaveLength(1);
    expect(api.conversation[0]).toMatchObject({ lastUserText: 'greet me', stream: true, state: 'answered' });
  });

  describe('in one conversation', () => {
    const played = staged(
      () => [
        { prompt: 'say it', replies: [toolUse('Bash', { command: 'echo from-the-shell' }), text('done')] },
        {
          replies: [toolUse('Agent', { ...AGENT, run_in_background: false }), text('the agent is done')],
          subagent: [text('I am the agent')],
        },
        { prompt: '/context', replies: [] },
      ],
      {
        version,
        args: ['--allowedTools', 'Bash', '--model', 'claude-sonnet-4-5', '--append-system-prompt', 'Be brief.'],
      },
    );

    it('[K-2] runs a tool and shows its result in the next request', () => {
      const { api, act } = played();
      const { run, conversation } = act(0);
      expect(resultOf(run)).toMatchObject({ is_error: false, result: 'done' });
      expectThat(api).toHaveModel('claude-sonnet-4-5');
      expectThat(api).toHaveSystemPrompt('Be brief.');
      expectThat(api).toHaveOfferedTool('Bash', { inputSchema: { properties: { command: { type: 'string' } } } });
      expectThat(api).toHaveToolResult({ tool: 'Bash', text: 'from-the-shell', isError: false });
      expectThat(api).toHaveTurn({ role: 'user', text: 'say it' });
      expectThat(api).toHaveTurn({ role: 'assistant', tool: 'Bash', input: { command: /^echo/ } });
      const [first, second] = conversation;
      expect(first?.tools).toContain('Bash');
      expect(first?.toolResults).toEqual([]);
      expect(second?.toolResults).toMatchObject([{ text: expect.stringContaining('from-the-shell'), isError: false }]);
      expect(second?.toolResults[0]?.toolUseId).toBe(blocksOf(run, 'tool_use')[0]?.id);
    });

    it('[K-2] distinguishes subagents and token counts from the main conversation', () => {
      const { run, requests, conversation } = played().act(1);
      expect(resultOf(run)).toMatchObject({ result: 'the agent is done' });
      expect(kindsOf(requests)).toEqual(['main', 'subagent', 'main']);
      const subagent = requests.find((request) => request.kind === 'subagent');
      expect(subagent).toMatchObject({ lastUserText: AGENT.prompt, isMainConversation: false });
      expect(subagent?.agentId).toBeDefined();
      expect(conversation[1]?.toolResults[0]?.text).toContain('I am the agent');

      expect(new Set(kindsOf(played().act(2).requests))).toEqual(new Set(['count-tokens']));
      expect(played().exitCode).toBe(0);
    });
  });
});

describe('a reply of the fake API may contain', () => {
  const asked: number[] = [];
  const answered: number[] = [];
  const paused = (...reply: ReplyStep[]): Act => ({
    replies: [
      () => {
        asked.push(performance.now());
        return reply;
      },
    ],
    onFrame: ({ type }) => void (type === 'result' && answered.push(performance.now())),
  });
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const played = staged(
    () => [
      {
        replies: [
          [
            ...[thinking('Let me see.'), redactedThinking('c2VjcmV0'), text('Here:'), text(' two texts.')],
            usage({ input_tokens: 123, output_tokens: 45 }),
          ],
        ],
      },
      {
        replies: [
          [thinking('hm'), text('one two three', { chunkSize: 4 }), toolUse('Bash', { command: 'true' })],
          text('end'),
        ],
      },
      { replies: [[text('cut of'), stopReason('max_tokens')], text('f. Done.')] },
      paused(delay(400), text('late')),
      paused(text('now'), delay(400), text('later')),
      {
        replies: [[text('first'), until(gate), text('second')]],
        onFrame: ({ type }) => void (type === 'assistant' && release()),
      },
      { replies: [[text('no'), stopReason('refusal')]], fallback: text('yes') },
    ],
    { args: ['--include-partial-messages'] },
  );

  it('[K-2] thinking, hidden thinking, several blocks in one message and token counts', () => {
    const { run } = played().act(0);
    expect(blocksOf(run).map((block) => block.type)).toEqual(['thinking', 'redacted_thinking', 'text', 'text']);
    expect(blocksOf(run, 'thinking')[0]).toMatchObject({ thinking: 'Let me see.', signature: expect.any(String) });
    expect(blocksOf(run, 'redacted_thinking')[0]).toMatchObject({ data: 'c2VjcmV0' });
    expect(resultOf(run).usage).toMatchObject({ input_tokens: 123, output_tokens: 45 });
  });

  it('[K-2] deltas, which the CLI passes on as partial messages', () => {
    const { run } = played().act(1);
    const events = run.frames.filter((frame) => frame.type === 'stream_event').map((frame) => record(frame.event));
    const deltas = events.filter((event) => event.type === 'content_block_delta').map((event) => record(event.delta));
    expect(deltas.filter((delta) => delta.type === 'text_delta').map((delta) => delta.text)).toEqual([
      ...['one ', 'two ', 'thre', 'e'],
      'end',
    ]);
    const json = deltas.filter((delta) => delta.type === 'input_json_delta').map((delta) => delta.partial_json);
    expect(JSON.parse(json.join(''))).toEqual({ command: 'true' });
    expect(events.filter((event) => event.type === 'message_start')).toHaveLength(2);
    expect(events.filter((event) => event.type === 'message_stop')).toHaveLength(2);
  });

  it('[K-2] stop reasons', () => {
    const { run, conversation } = played().act(2);
    expect(resultOf(run)).toMatchObject({ is_error: false });
    expect(conversation).toHaveLength(2);
    expect(
      played()
        .act(6)
        .run.frames.map((frame) => frame.subtype),
    ).toContain('informational');
  });

  it('[K-2] pauses, before the headers and between blocks', () => {
    expect(played().act(3).conversation).toHaveLength(1);
    expect(answered).toHaveLength(2);
    const spans = answered.map((at, turn) => at - (asked[turn] ?? at));
    // Only the pause makes the run that long, besides a busy machine.
    for (const span of spans) expect(span).toBeGreaterThanOrEqual(400);
  });

  it('[K-2] a pause that the test ends', () => {
    expect(blocksOf(played().act(5).run).map((block) => block.text)).toEqual(['first', 'second']);
  });

  it('[K-2] structured output', async () => {
    const schema = JSON.stringify({ type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] });
    const { run, api } = await converse(
      [toolUse('StructuredOutput', { answer: 42 })],
      {
        args: ['--json-schema', schema],
      },
      { fallback: text('done') },
    );
    expect(api.conversation[0]?.tools).toContain('StructuredOutput');
    expect(resultOf(run)).toMatchObject({ is_error: false, structured_output: { answer: 42 } });
  });
});

describe('faults of the fake API', () => {
  it('[K-2] HTTP 400, 401, 403, 413, 429, 500 and 529', async () => {
    const statuses = [400, 401, 403, 413, 429, 500, 529];
    const { run } = await converse(({ lastUserText }) => apiError(Number(lastUserText.slice(-3))), {
      turns: statuses.map((status) => `Fail with ${status}`),
      env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    });
    expect(run.exitCode).toBe(1);
    expect(resultsOf(run)).toMatchObject(
      statuses.map((status) => ({ subtype: 'success', is_error: true, api_error_status: status })),
    );
  });

  describe('from which the CLI recovers', () => {
    const played = staged(() => [
      { replies: [apiError(529), text('back again')] },
      { replies: [apiError(429, { times: 2, retryAfterSeconds: 1 }), text('ok')] },
      { replies: [[text('half'), streamError()], text('whole')] },
      { replies: [[text('half a sen'), cutMidStream()]], fallback: text('whole') },
    ]);

    it('[K-2] 529 once, then a reply', () => {
      const { run, conversation } = played().act(0);
      const retry = run.frames.find((frame) => frame.subtype === 'api_retry');
      expect(retry).toMatchObject({ attempt: 1, error_status: 529, error: 'overloaded' });
      expect(resultOf(run)).toMatchObject({ is_error: false, result: 'back again' });
      expect(conversation).toHaveLength(2);
    });

    it('[K-2] 429 with a retry-after header, twice', () => {
      const { run } = played().act(1);
      const retries = run.frames.filter((frame) => frame.subtype === 'api_retry');
      expect(retries.map((frame) => frame.error)).toEqual(['rate_limit', 'rate_limit']);
      // Since 2.1.326 the CLI waits up to a quarter longer than the API asks for.
      const [{ retry_delay_ms: delayMs } = {}] = retries;
      expect(delayMs).toBeGreaterThanOrEqual(1_000);
      expect(delayMs).toBeLessThanOrEqual(1_250);
      expect(resultOf(run)).toMatchObject({ is_error: false, result: 'ok' });
    });

    it('[K-2] an error event in the stream: the CLI retries without streaming', () => {
      const { run, conversation } = played().act(2);
      expect(conversation.map((request) => request.stream)).toEqual([true, false]);
      expect(resultOf(run)).toMatchObject({ is_error: false, result: 'whole' });
    });

    it('[K-2] a connection cut in the middle of a block: the CLI retries', () => {
      const { run, conversation } = played().act(3);
      expect(conversation[0]?.state).toBe('cut');
      expect(conversation.length).toBeGreaterThan(1);
      expect(resultOf(run)).toMatchObject({ is_error: false, result: 'whole' });
    });
  });

  it('[K-2] a request without a scripted reply is immediately reported in the result', async () => {
    await using api = await startFakeApi([]);
    await using home = await isolatedHome(api.url);
    const run = await plainRun({ home, prompt: 'anything' });
    expect(run.exitCode).toBe(1);
    expect(resultOf(run).result).toContain('script has run out');
    expect(api.problems).toEqual([expect.stringContaining('last user text "anything"')]);
    expect(api.conversation).toHaveLength(1);
  });

  it('[K-2] a disconnecting CLI is detected', async () => {
    await using api = await startFakeApi([[text('and then'), until(new Promise(() => {}))]]);
    await using home = await isolatedHome(api.url);
    await plainRun({ home, onFrame: (frame, child) => void (frame.type === 'assistant' && child.kill('SIGTERM')) });
    await waitUntil(() => api.conversation[0]?.state === 'aborted', { what: 'the aborted request' });
  });
});

const AGENT = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose' };

/** A turn of a conversation: the prompt, and the model's replies. */
interface Act {
  readonly prompt?: string;
  readonly replies: readonly (Reply | (() => Reply))[];
  /** Used after the last reply; only in the last turn. */
  readonly fallback?: Reply;
  readonly subagent?: readonly Reply[];
  readonly onFrame?: (frame: PlainRun['frames'][number]) => void;
}

interface Staged {
  readonly api: FakeApi;
  readonly exitCode: number | null;
  /** The messages of a turn, and its API requests. */
  act(number: number): {
    readonly run: Pick<PlainRun, 'frames' | 'stderr'>;
    readonly requests: readonly ApiRequest[];
    readonly conversation: readonly ApiRequest[];
  };
}

/** Plays the turns in one conversation with the CLI, before the tests that check them: each start takes time. */
function staged(acts: () => readonly Act[], options: Omit<PlainRunOptions, 'home'> = {}): () => Staged {
  let played: Staged | undefined;
  beforeAll(async () => {
    played = await perform(acts(), options);
  });
  return () => {
    if (played === undefined) throw new Error('The turns have not been played.');
    return played;
  };
}

async function perform(acts: readonly Act[], options: Omit<PlainRunOptions, 'home'>): Promise<Staged> {
  const fallback = acts.at(-1)?.fallback;
  const apiOptions = fallback === undefined ? {} : { fallback };
  const script = {
    main: acts.flatMap(({ replies }) => replies),
    subagent: acts.flatMap(({ subagent = [] }) => subagent),
  };
  const frames: PlainRun['frames'][number][][] = acts.map(() => []);
  /** Number of requests at the end of each turn. */
  const ends: number[] = [];
  let requests: FakeApi['requests'] = [];
  const onStart = (api: FakeApi): void => {
    requests = api.requests;
  };
  const { run, api } = await converse(
    script,
    {
      ...options,
      turns: acts.map(({ prompt = 'continue' }) => prompt),
      onFrame: (frame) => {
        frames[ends.length]?.push(frame);
        acts[ends.length]?.onFrame?.(frame);
        if (frame.type === 'result') ends.push(requests.length);
      },
    },
    apiOptions,
    onStart,
  );
  expect(ends).toHaveLength(acts.length);
  return {
    api,
    exitCode: run.exitCode,
    act(number) {
      const own = api.requests.slice(ends[number - 1] ?? 0, ends[number]);
      return {
        run: { frames: frames[number] ?? [], stderr: run.stderr },
        requests: own,
        conversation: own.filter((request) => api.conversation.includes(request)),
      };
    },
  };
}

async function converse(
  script: ApiScript,
  options: Omit<PlainRunOptions, 'home'> = {},
  apiOptions: Parameters<typeof startFakeApi>[1] = {},
  onStart: (api: FakeApi) => void = () => {},
): Promise<{ run: PlainRun; api: FakeApi }> {
  await using api = await startFakeApi(script, apiOptions);
  onStart(api);
  await using home = await isolatedHome(api.url);
  const run = await plainRun({ ...options, home });
  expect(run.nonJsonLines).toEqual([]);
  expect(api.problems).toEqual([]);
  return { run, api };
}

function resultOf(run: Pick<PlainRun, 'frames' | 'stderr'>): PlainRun['frames'][number] {
  const result = run.frames.findLast((frame) => frame.type === 'result');
  if (result === undefined) throw new Error(`No result; stderr: ${run.stderr}`);
  return result;
}

function resultsOf(run: PlainRun): PlainRun['frames'] {
  return run.frames.filter((frame) => frame.type === 'result');
}

function blocksOf(run: Pick<PlainRun, 'frames'>, type?: string): Record<string, unknown>[] {
  return run.frames
    .filter((frame) => frame.type === 'assistant')
    .flatMap((frame) => [record(frame.message).content].flat().map(record))
    .filter((block) => type === undefined || block.type === type);
}

function kindsOf(requests: readonly ApiRequest[]): string[] {
  return requests.map((request) => request.kind).filter((kind) => kind !== 'other');
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`Not an object: ${JSON.stringify(value)}`);
  return { ...value };
}
