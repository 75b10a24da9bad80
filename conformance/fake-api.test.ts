import {
  type ApiScript,
  apiError,
  cutMidStream,
  delay,
  expectThat,
  type FakeApi,
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
import { describe, expect, it } from 'vitest';
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

  it('[K-2] runs a tool and shows its result in the next request', async () => {
    const script = [toolUse('Bash', { command: 'echo from-the-shell' }), text('done')];
    const args = ['--allowedTools', 'Bash', '--model', 'claude-sonnet-4-5', '--append-system-prompt', 'Be brief.'];
    const { run, api } = await converse(script, { version, args, prompt: 'say it' });
    expect(resultOf(run)).toMatchObject({ is_error: false, result: 'done' });
    expectThat(api).toHaveModel('claude-sonnet-4-5');
    expectThat(api).toHaveSystemPrompt('Be brief.');
    expectThat(api).toHaveOfferedTool('Bash', { inputSchema: { properties: { command: { type: 'string' } } } });
    expectThat(api).toHaveToolResult({ tool: 'Bash', text: 'from-the-shell', isError: false });
    expectThat(api).toHaveTurn({ role: 'user', text: 'say it' });
    expectThat(api).toHaveTurn({ role: 'assistant', tool: 'Bash', input: { command: /^echo/ } });
    const [first, second] = api.conversation;
    expect(first?.tools).toContain('Bash');
    expect(first?.toolResults).toEqual([]);
    expect(second?.toolResults).toMatchObject([{ text: expect.stringContaining('from-the-shell'), isError: false }]);
    expect(second?.toolResults[0]?.toolUseId).toBe(blocksOf(run, 'tool_use')[0]?.id);
  });

  it('[K-2] tells a subagent and token counts from the main conversation', async () => {
    const script = {
      main: [toolUse('Agent', { ...AGENT, run_in_background: false }), text('the agent is done')],
      subagent: [text('I am the agent')],
    };
    const { run, api } = await converse(script, { version });
    expect(resultOf(run)).toMatchObject({ result: 'the agent is done' });
    expect(kindsOf(api)).toEqual(['main', 'subagent', 'main']);
    const subagent = api.requests.find((request) => request.kind === 'subagent');
    expect(subagent).toMatchObject({ lastUserText: AGENT.prompt, isMainConversation: false });
    expect(subagent?.agentId).toBeDefined();
    expect(api.conversation[1]?.toolResults[0]?.text).toContain('I am the agent');

    const context = await converse([], { version, prompt: '/context' });
    expect(new Set(kindsOf(context.api))).toEqual(new Set(['count-tokens']));
    expect(context.run.exitCode).toBe(0);
  });
});

describe('what a reply may hold', () => {
  it('[K-2] thinking, hidden thinking, several blocks in one message and token counts', async () => {
    const blocks = [thinking('Let me see.'), redactedThinking('c2VjcmV0'), text('Here:'), text(' two texts.')];
    const { run } = await converse([[...blocks, usage({ input_tokens: 123, output_tokens: 45 })]]);
    expect(blocksOf(run).map((block) => block.type)).toEqual(['thinking', 'redacted_thinking', 'text', 'text']);
    expect(blocksOf(run, 'thinking')[0]).toMatchObject({ thinking: 'Let me see.', signature: expect.any(String) });
    expect(blocksOf(run, 'redacted_thinking')[0]).toMatchObject({ data: 'c2VjcmV0' });
    expect(resultOf(run).usage).toMatchObject({ input_tokens: 123, output_tokens: 45 });
  });

  it('[K-2] deltas, which the CLI passes on as partial messages', async () => {
    const reply = [thinking('hm'), text('one two three', { chunkSize: 4 }), toolUse('Bash', { command: 'true' })];
    const { run } = await converse([reply, text('end')], { args: ['--include-partial-messages'] });
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

  it('[K-2] stop reasons', async () => {
    const { run, api } = await converse([[text('cut of'), stopReason('max_tokens')], text('f. Done.')]);
    expect(resultOf(run)).toMatchObject({ is_error: false });
    expect(api.conversation).toHaveLength(2);
    const refused = await converse([[text('no'), stopReason('refusal')]], {}, { fallback: text('yes') });
    expect(refused.run.frames.map((frame) => frame.subtype)).toContain('informational');
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

  it('[K-2] pauses, before the headers and between blocks', async () => {
    const replies = [
      [delay(400), text('late')],
      [text('now'), delay(400), text('later')],
    ];
    const asked: number[] = [];
    const answered: number[] = [];
    await converse(
      () => {
        asked.push(performance.now());
        return replies[asked.length - 1] ?? [];
      },
      {
        turns: ['first', 'second'],
        onFrame: ({ type }) => void (type === 'result' && answered.push(performance.now())),
      },
    );
    expect(answered).toHaveLength(replies.length);
    const spans = answered.map((at, turn) => at - (asked[turn] ?? at));
    // Nothing but the pause keeps the run that long, and a busy machine only makes it longer.
    for (const span of spans) expect(span).toBeGreaterThanOrEqual(400);
  });

  it('[K-2] a pause the test ends', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { run } = await converse([[text('first'), until(gate), text('second')]], {
      onFrame: (frame) => {
        if (frame.type === 'assistant') release();
      },
    });
    expect(blocksOf(run).map((block) => block.text)).toEqual(['first', 'second']);
  });
});

describe('faults', () => {
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

  it('[K-2] 529 once, then a reply', async () => {
    const { run, api } = await converse([apiError(529), text('back again')]);
    const retry = run.frames.find((frame) => frame.subtype === 'api_retry');
    expect(retry).toMatchObject({ attempt: 1, error_status: 529, error: 'overloaded' });
    expect(resultOf(run)).toMatchObject({ is_error: false, result: 'back again' });
    expect(api.conversation).toHaveLength(2);
  });

  it('[K-2] 429 with a retry-after header, twice', async () => {
    const { run } = await converse([apiError(429, { times: 2, retryAfterSeconds: 1 }), text('ok')]);
    const retries = run.frames.filter((frame) => frame.subtype === 'api_retry');
    expect(retries.map((frame) => frame.error)).toEqual(['rate_limit', 'rate_limit']);
    expect(retries[0]).toMatchObject({ retry_delay_ms: 1000 });
    expect(resultOf(run)).toMatchObject({ is_error: false, result: 'ok' });
  });

  it('[K-2] a connection cut in the middle of a block: the CLI asks again', async () => {
    const { run, api } = await converse([[text('half a sen'), cutMidStream()]], {}, { fallback: text('whole') });
    expect(api.conversation[0]?.state).toBe('cut');
    expect(api.conversation.length).toBeGreaterThan(1);
    expect(resultOf(run)).toMatchObject({ is_error: false, result: 'whole' });
  });

  it('[K-2] an error event in the stream: the CLI asks again without streaming', async () => {
    const { run, api } = await converse([[text('half'), streamError()], text('whole')]);
    expect(api.conversation.map((request) => request.stream)).toEqual([true, false]);
    expect(resultOf(run)).toMatchObject({ is_error: false, result: 'whole' });
  });

  it('[K-2] a script that has run out says so in the result, at once', async () => {
    await using api = await startFakeApi([]);
    await using home = await isolatedHome(api.url);
    const run = await plainRun({ home, prompt: 'anything' });
    expect(run.exitCode).toBe(1);
    expect(resultOf(run).result).toContain('script has run out');
    expect(api.problems).toEqual([expect.stringContaining('last user text "anything"')]);
    expect(api.conversation).toHaveLength(1);
  });

  it('[K-2] a CLI that hangs up is seen', async () => {
    await using api = await startFakeApi([[text('and then'), until(new Promise(() => {}))]]);
    await using home = await isolatedHome(api.url);
    await plainRun({ home, onFrame: (frame, child) => void (frame.type === 'assistant' && child.kill('SIGTERM')) });
    await waitUntil(() => api.conversation[0]?.state === 'aborted', { what: 'the aborted request' });
  });
});

const AGENT = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose' };

async function converse(
  script: ApiScript,
  options: Omit<PlainRunOptions, 'home'> = {},
  apiOptions: Parameters<typeof startFakeApi>[1] = {},
): Promise<{ run: PlainRun; api: FakeApi }> {
  await using api = await startFakeApi(script, apiOptions);
  await using home = await isolatedHome(api.url);
  const run = await plainRun({ ...options, home });
  expect(run.nonJsonLines).toEqual([]);
  expect(api.problems).toEqual([]);
  return { run, api };
}

function resultOf(run: PlainRun): PlainRun['frames'][number] {
  const result = run.frames.findLast((frame) => frame.type === 'result');
  if (result === undefined) throw new Error(`No result; stderr: ${run.stderr}`);
  return result;
}

function resultsOf(run: PlainRun): PlainRun['frames'] {
  return run.frames.filter((frame) => frame.type === 'result');
}

function blocksOf(run: PlainRun, type?: string): Record<string, unknown>[] {
  return run.frames
    .filter((frame) => frame.type === 'assistant')
    .flatMap((frame) => [record(frame.message).content].flat().map(record))
    .filter((block) => type === undefined || block.type === type);
}

function kindsOf(api: FakeApi): string[] {
  return api.requests.map((request) => request.kind).filter((kind) => kind !== 'other');
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`Not an object: ${JSON.stringify(value)}`);
  return { ...value };
}
