import { redactedThinking, text, thinking, toolUse } from '@coxswain/testkit';
import { isAssistant, isInit, type Message, outcomeOf, rawOf, textOf, toolResultsOf, toolUsesOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

describe.concurrent.each(testedVersions)('an answer of %s', (version) => {
  it('[Q-1, Q-2, Q-4] comes as messages from init to result, then the stream ends', async () => {
    await using scene = await openScene([text('Hello from the fake.')], { version });
    const stream = scene.query('greet me');
    await stream.started;
    const messages: Message[] = [];
    for await (const message of stream) messages.push(message);

    expect(messages.filter(isInit)).toMatchObject([{ claude_code_version: version, cwd: scene.home.project }]);
    expect(messages.filter(isAssistant).map(textOf)).toEqual(['Hello from the fake.']);
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false });
    expect(messages.every((message) => rawOf(message)?.startsWith('{'))).toBe(true);
    expect(stream.warnings).toEqual([]);
    expect(stream.state).toBe('closed');
    expect(stream.sessionId).toBe(messages.find(isInit)?.session_id);
    expect(await stream.text()).toBe('Hello from the fake.');
    expect(outcomeOf(await stream.result())).toMatchObject({ kind: 'completed', text: 'Hello from the fake.' });
    expect(await stream.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(scene.processes()).toEqual([]);
    expect(scene.api.conversation).toMatchObject([{ lastUserText: 'greet me', state: 'answered' }]);
  });

  it('[M-4] shows a tool call and its result', async () => {
    const script = [toolUse('Bash', { command: 'echo from-the-shell' }), text('done')];
    await using scene = await openScene(script, { version });
    const stream = scene.query('run it', { allowedTools: ['Bash(echo *)'] });
    const { items, terminalError } = await stream.collect();
    expect(terminalError).toBeUndefined();

    const [call] = items.flatMap(toolUsesOf);
    const [returned] = items.flatMap(toolResultsOf);
    expect(call).toMatchObject({ name: 'Bash', input: { command: 'echo from-the-shell' } });
    expect(returned).toMatchObject({ tool_use_id: call?.id, content: 'from-the-shell' });
    expect(await stream.text()).toBe('done');
    expect(scene.api.conversation[1]?.toolResults).toMatchObject([{ text: 'from-the-shell', isError: false }]);
  });

  it('[C-7] to a prompt that starts with a dash', async () => {
    await using scene = await openScene([text('fine')], { version });
    expect(await scene.query('--help -x looks like a flag').text()).toBe('fine');
    expect(scene.api.conversation[0]?.lastUserText).toBe('--help -x looks like a flag');
  });

  it('[C-7] to a prompt of 2 MB, which reaches the API whole and never stands on the command line', async () => {
    const prompt = `begin ${'0123456789 äöü '.repeat(120_000)} end`;
    await using scene = await openScene([() => {
      commands.push(...scene.processes().map(({ command }) => command));
      return text('read');
    }], { version });
    const commands: string[] = [];
    expect(await scene.query(prompt).text()).toBe('read');
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(2_000_000);
    expect(scene.api.conversation[0]?.lastUserText === prompt.trim()).toBe(true);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.join()).not.toContain('0123456789');
  });

  it('[W-1, W-2] of 3 MB in one line', async () => {
    const answer = 'Zwölf Boxkämpfer jagen Viktor. '.repeat(100_000);
    await using scene = await openScene([text(answer)], { version });
    const stream = scene.query('say much');
    const { items } = await stream.collect();
    const spoken = items.filter(isAssistant).map(textOf).join('');
    expect(spoken.length).toBeGreaterThan(3_000_000);
    expect(spoken === answer).toBe(true);
    expect(await stream.text() === answer).toBe(true);
  });
});

describe.concurrent('content', () => {
  it('[M-2] with thinking, hidden thinking and text keeps its blocks apart', async () => {
    const reply = [thinking('Let me see.'), redactedThinking('c2VjcmV0'), text('Here.')];
    await using scene = await openScene([reply]);
    const { items } = await scene.query('think').collect();
    const blocks = items.filter(isAssistant).flatMap((message) => message.message.content);
    expect(blocks).toMatchObject([
      { type: 'thinking', thinking: 'Let me see.', signature: expect.any(String) },
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'text', text: 'Here.' },
    ]);
  });

  it.for([pinnedVersion])('[O-7] of a prompt in blocks, text and image, reaches the API on %s', async (version) => {
    await using scene = await openScene([text('I see a dot.')], { version });
    const source = { type: 'base64', media_type: 'image/png', data: DOT } as const;
    const stream = scene.query([{ type: 'text', text: 'What is this?' }, { type: 'image', source }]);
    expect(await stream.text()).toBe('I see a dot.');
    expect(JSON.stringify(scene.api.conversation[0]?.body.messages)).toContain(DOT.slice(0, 40));
  });
});

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
