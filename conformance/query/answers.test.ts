import { redactedThinking, text, thinking, toolUse } from '@coxswain/testkit';
import { type Message, outcomeOf, textOf, toolResultsOf, toolUsesOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

describe.concurrent.each(testedVersions)('an answer of %s', (version) => {
  it('[Q-1, Q-2, Q-4, W-7] arrives as messages from init to result, and then the stream ends', async () => {
    await using scene = await openScene([text('Hello from the fake.')], { version });
    const stream = scene.query('greet me');
    await stream.started;
    const messages: Message[] = [];
    for await (const message of stream) messages.push(message);

    expect(messages.filter((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject([
      { claude_code_version: version, cwd: scene.home.project },
    ]);
    expect(messages.filter((message) => message.type === 'assistant').map(textOf)).toEqual(['Hello from the fake.']);
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false });
    expect(stream.sessionId).toBe(
      messages.find((message) => message.type === 'system' && message.subtype === 'init')?.session_id,
    );
    expect(stream.state).toBe('closed');
    expect(stream.warnings).toEqual([]);
    expect(await stream.text()).toBe('Hello from the fake.');
    expect(outcomeOf(await stream.result())).toMatchObject({ kind: 'completed', text: 'Hello from the fake.' });
    expect(await stream.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(scene.processes()).toEqual([]);
    expect(scene.api.conversation).toMatchObject([{ lastUserText: 'greet me', state: 'answered' }]);
  });

  it('[M-2, M-4, Q-8] separates thinking, hidden thinking, text and tool calls, and contains their results; a subagent in the foreground adds no second result', async () => {
    const spoken = [thinking('Let me see.'), redactedThinking('c2VjcmV0'), text('Here.')];
    const main = [
      [...spoken, toolUse('Bash', { command: 'echo from-the-shell' })],
      toolUse('Agent', AGENT),
      text('done'),
    ];
    await using scene = await openScene({ main, subagent: [text('nothing here')] }, { version });
    const stream = scene.query('run it', { allowedTools: ['Bash(echo *)'] });
    const items: Message[] = [];
    let resultAt = 0;
    for await (const message of stream) {
      if (message.type === 'result') resultAt = performance.now();
      // Messages of a subagent carry the id of the call that started it.
      if (!('parent_tool_use_id' in message) || message.parent_tool_use_id === null) items.push(message);
    }
    expect(performance.now() - resultAt).toBeLessThan(10_000);
    expect(stream.results).toHaveLength(1);
    expect(stream.warnings).toEqual([]);

    expect(
      items.filter((message) => message.type === 'assistant').flatMap(({ message }) => message.content),
    ).toMatchObject([
      { type: 'thinking', thinking: 'Let me see.', signature: expect.any(String) },
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'text', text: 'Here.' },
      { type: 'tool_use', name: 'Bash' },
      { type: 'tool_use', name: 'Agent' },
      { type: 'text', text: 'done' },
    ]);
    const [call, agent] = items.flatMap(toolUsesOf);
    expect(call).toMatchObject({ name: 'Bash', input: { command: 'echo from-the-shell' } });
    expect(items.flatMap(toolResultsOf)).toMatchObject([
      { tool_use_id: call?.id, content: 'from-the-shell' },
      { tool_use_id: agent?.id },
    ]);
    expect(scene.api.conversation[1]?.toolResults).toMatchObject([{ text: 'from-the-shell', isError: false }]);
    expect(await stream.text()).toBe('done');
  });
});

const AGENT = {
  description: 'look',
  prompt: 'Look around.',
  subagent_type: 'general-purpose',
  run_in_background: false,
};

describe.concurrent('concurrent queries', () => {
  it('[Q-14] do not affect each other', async () => {
    const answers = ['one', 'two', 'three'];
    const received = await Promise.all(
      answers.map(async (answer) => {
        await using scene = await openScene([text(answer)]);
        return await scene.query(`say ${answer}`).text();
      }),
    );
    expect(received).toEqual(answers);
  });
});
