import { AssertionError } from 'node:assert';
import { addContext, allow, deny, type Message, query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { recordRequest } from '../../src/fake-api/request.ts';
import { startFakeApi } from '../../src/fake-api/server.ts';
import { expectThat } from '../../src/matchers/expect-that.ts';
import { coxswainMatchers } from '../../src/matchers/matchers.ts';
import { assistantMessage, toolUseMessage } from '../../src/messages/assistant.ts';
import { outcomeResult } from '../../src/messages/outcome-result.ts';
import { rateLimitEvent } from '../../src/messages/progress.ts';
import { resultMessage } from '../../src/messages/result.ts';
import { refusedToolMessage, toolResultMessage } from '../../src/messages/user.ts';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';

const list = toolUseMessage('Bash', { command: 'ls build' });
const remove = toolUseMessage('Bash', { command: 'rm -r build' });
const messages: readonly Message[] = [
  assistantMessage('Let me look.'),
  list,
  toolResultMessage(list, 'a.js'),
  remove,
  refusedToolMessage(remove, 'Remove nothing.'),
  assistantMessage('I may not.'),
  resultMessage('I may not.'),
];

describe('expectThat(messages)', () => {
  it('[K-4] checks tool calls and their results', () => {
    expectThat(messages).toHaveUsedTool('Bash');
    expectThat(messages).toHaveUsedTool(/^Ba/, { command: /^rm/ });
    expectThat(messages).toHaveRunTool('Bash', { command: 'ls build' });
    expectThat(messages).toHaveRefusedTool('Bash', { command: expect.stringContaining('rm') });
    expectThat(messages).toHaveAskedAbout('Bash', { command: /rm/ });
    expectThat(messages).not.toHaveUsedTool('Write');
    expectThat(messages).not.toHaveRunTool('Bash', { command: /rm/ });
    expectThat(messages).not.toHaveRefusedTool('Bash', { command: /ls/ });
    expectThat(messages).not.toHaveAskedAbout('Bash', { command: /ls/ });
    const missing = [
      list,
      toolResultMessage(list, '<tool_use_error>No such tool.</tool_use_error>', { isError: true }),
    ];
    expectThat(missing).not.toHaveRunTool('Bash');
    expectThat(messages).toHaveToolResult({ tool: 'Bash', text: 'a.js', isError: false });
    expectThat(messages).toHaveToolResult({ isError: true, text: /nothing/ });
  });

  it('[K-4] reports the actual calls, and how they differ', () => {
    expect(failure(() => expectThat(messages).toHaveRunTool('Bash', { command: /rm/ })).message).toBe(
      [
        'Expected a run of Bash with { command: /rm/ }.',
        '',
        'Tool calls:',
        "  Bash { command: 'ls build' }: ran",
        "    command: expected /rm/, was 'ls build'",
        "  Bash { command: 'rm -r build' }: refused, the host was asked",
      ].join('\n'),
    );
    const error = failure(() => expectThat([assistantMessage('Hi.')]).toHaveUsedTool('Bash'));
    expect(error.message).toBe('Expected the model to have used Bash.\n\nTool calls:\n  none');
    expect(failure(() => expectThat(messages).not.toHaveUsedTool('Bash')).message).toContain(
      'Did not expect the model to have used Bash.',
    );
  });

  it('[K-4] checks texts', () => {
    expectThat(messages).toHaveSaid('look');
    expectThat(messages).toHaveSaid(/^I may/);
    const error = failure(() => expectThat(messages).toHaveSaid('Done'));
    expect(error.message).toContain("Expected the model to have said 'Done'.");
    expect(error.message).toContain("  'Let me look.'\n  'I may not.'");
  });

  it('[K-4] checks how the turn ended', () => {
    expectThat(messages).toHaveCompleted();
    expectThat(messages).toHaveCompleted('may not');
    expectThat(messages).toHaveEndedWith('completed', { text: /not/ });
    expectThat([outcomeResult('max-turns')]).toHaveEndedWith('max-turns');
    expectThat([outcomeResult('budget')]).not.toHaveCompleted();
    const limited = [rateLimitEvent('rejected', { resetsAt: 1_800_000_000 }), outcomeResult('rate-limit')];
    expectThat(limited).toHaveEndedWith('rate-limit', { resetsAt: 1_800_000_000_000 });
    expect(failure(() => expectThat(messages).toHaveEndedWith('max-turns')).message).toContain("kind: 'completed'");
    expect(failure(() => expectThat(limited).toHaveEndedWith('rate-limit', { status: 500 })).message).toContain(
      'status: expected 500, was 429',
    );
  });

  it('[K-4] accepts the result of collect(), and reports its failure', async () => {
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('Hello.').exit(3)));
    const collected = await query('x', { transport }).collect();
    expectThat(collected).toHaveSaid('Hello.');
    const error = failure(() => expectThat(collected).toHaveCompleted());
    expect(error.message).toContain('no result');
    expect(error.message).toContain('the stream failed: ProcessError');
    const items = await query('x', { transport }).collect();
    expectThat(items).toHaveSaid('Hello.');
  });

  it('[K-4] throws an assertion error that every runner supports, from the line of the test', () => {
    const error = failure(() => expectThat(messages).toHaveSaid('Done'));
    expect(error).toBeInstanceOf(AssertionError);
    expect(error).toMatchObject({ code: 'ERR_ASSERTION', expected: 'Done', operator: 'toHaveSaid' });
    expect(error.stack?.split('\n').find((line) => line.includes('at '))).toContain('expect-that.test.ts');
  });
});

describe('expectThat(runs)', () => {
  const agent = script().onPrompt('Tidy', (turn) =>
    turn
      .useTool('Bash', { command: 'rm -r build' }, { permission: 'ask' })
      .useTool('Read', { file_path: '/a' }, { result: 'text' })
      .say('Done.'),
  );

  it('[K-4] checks executed calls, refused calls, and the input of the agent', async () => {
    const { transport, runs } = inMemoryCli(agent);
    const collected = await query('Tidy up.', {
      transport,
      model: 'opus',
      canUseTool: ({ toolName }) => (toolName === 'Bash' ? deny('Remove nothing.') : allow()),
      hooks: { UserPromptSubmit: { run: () => addContext('It is Sunday.') } },
    }).collect();
    expectThat(runs()).toHaveRefusedTool('Bash', { command: /rm/ });
    expectThat(runs()).toHaveRunTool('Read');
    expectThat(runs()[0]).not.toHaveRunTool('Bash');
    expectThat(runs()).toHaveBeenPrompted('Tidy');
    expectThat(runs()).toHaveBeenStartedWith('--model', 'opus');
    expectThat(runs()).not.toHaveBeenStartedWith('--model', 'haiku');
    expectThat(runs()).toHaveBeenToldByHook('Sunday');
    expectThat(collected).toHaveAskedAbout('Bash');
    expectThat(collected).toHaveCompleted('Done.');
    expect(failure(() => expectThat(runs()).toHaveRunTool('Bash')).message).toContain(
      "Bash { command: 'rm -r build' }: refused",
    );
    expect(failure(() => expectThat(runs()).toHaveBeenStartedWith('--model', 'haiku')).message).toContain(
      'a CLI that was started with --model haiku',
    );
  });

  it('[K-4] reports that there was no run', () => {
    const { runs } = inMemoryCli(agent);
    expect(failure(() => expectThat(runs()).toHaveBeenPrompted('x')).message).toContain('none');
    expect(() => expectThat(runs()[0]).not.toHaveRunTool('Bash')).toThrow('This is undefined: there is no such item.');
  });
});

describe('expectThat(requests)', () => {
  const reminder = 'The following deferred tools are now available via ToolSearch:\nmcp__shop__orders';
  const requests = [
    request([user(`<system-reminder>\n${reminder}\n</system-reminder>`)]),
    request([user('go')]),
    request([user('go'), assistant(), user('and now?', 'a.js')]),
  ];

  it('[K-2, K-4] checks model, system prompt, tools, results and earlier turns', () => {
    expectThat(requests).toHaveModel('sonnet');
    expectThat(requests).toHaveSystemPrompt('Be brief.');
    expectThat(requests).toHaveOfferedTool('Bash');
    expectThat(requests).toHaveOfferedTool('Bash', { inputSchema: { required: ['command'] } });
    expectThat(requests).toHaveOfferedTool('mcp__shop__orders');
    expectThat(requests).not.toHaveOfferedTool('mcp__shop__orders', { description: /./ });
    expectThat(requests).not.toHaveOfferedTool('Write');
    expectThat(requests).toHaveToolResult({ tool: 'Bash', text: 'a.js' });
    expectThat(requests[0]).not.toHaveToolResult({ tool: 'Bash' });
    expectThat(requests).toHaveBeenPrompted('and now?');
    expectThat(requests).toHaveTurn({ role: 'user', text: 'go' });
    expectThat(requests).toHaveTurn({ role: 'assistant', tool: 'Bash', input: { command: /ls/ } });
    expectThat(requests[0]).not.toHaveTurn({ role: 'assistant' });
  });

  it('[K-2, K-4] reports the actual requests', () => {
    const messageOf = (assertion: () => void): string => failure(assertion).message;
    expect(messageOf(() => expectThat(requests).toHaveModel('opus'))).toContain("Models asked:\n  'claude-sonnet-4-5'");
    expect(messageOf(() => expectThat(requests).toHaveOfferedTool('Write'))).toContain(
      'Tools it was offered:\n  Bash\n  mcp__shop__orders (deferred)',
    );
    expect(messageOf(() => expectThat(requests).toHaveOfferedTool('Bash', { description: 'x' }))).toContain(
      "description: expected 'x', was 'Runs a command.'",
    );
    expect(messageOf(() => expectThat(requests).toHaveTurn({ text: 'stop' }))).toContain(
      "The conversation:\n  user 'go'\n  assistant 'Let me.' → Bash { command: 'ls' }\n  user 'and now?'",
    );
    expect(messageOf(() => expectThat(requests).toHaveToolResult({ isError: true }))).toContain("Bash: 'a.js'");
  });

  it('[K-2, K-4] accepts a fake API and checks its main conversation', async () => {
    await using api = await startFakeApi([]);
    expect(failure(() => expectThat(api).toHaveModel('sonnet')).message).toContain('none');
  });
});

describe('a value of the wrong kind', () => {
  it.each([
    ['a promise', Promise.resolve([]), 'This is a promise: await it first.'],
    ['a stream', { collect: () => {} }, 'pass `await stream.collect()`'],
    ['a text', 'hello', 'This is hello.'],
    ['an object', { a: 1 }, 'A matcher of the test kit accepts messages'],
  ])('[K-4] is refused with its kind: %s', (_, received, says) => {
    expect(() => coxswainMatchers.toHaveSaid(received, 'x')).toThrow(says);
  });

  it('[K-4] is refused with its kind: runs instead of messages', () => {
    const run = { argv: [], prompts: [], tools: [], frames: [], contexts: [] };
    expect(() => coxswainMatchers.toHaveSaid(run, 'x')).toThrow('This matcher checks messages; it received runs.');
  });
});

function failure(assertion: () => void): Error {
  try {
    assertion();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('It did not fail.');
}

function request(turns: readonly object[]) {
  const body = JSON.stringify({
    model: 'claude-sonnet-4-5',
    system: 'You are an agent. Be brief.',
    tools: [
      {
        name: 'Bash',
        description: 'Runs a command.',
        input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
      },
    ],
    messages: turns,
  });
  return recordRequest({ seq: 1, at: 0, method: 'POST', url: '/v1/messages', headers: {}, body });
}

function user(text: string, result?: string): object {
  const results = result === undefined ? [] : [{ type: 'tool_result', tool_use_id: 'toolu_1', content: result }];
  return { role: 'user', content: [...results, { type: 'text', text }] };
}

function assistant(): object {
  return {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me.' },
      { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
    ],
  };
}
