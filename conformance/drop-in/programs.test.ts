import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createSdkMcpServer,
  deleteSession,
  getSessionMessages,
  listSessions,
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
  tool,
} from '@coxswain/drop-in';
import { apiError, delay, type Reply, text, toolUse } from '@coxswain/testkit';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { noneLeft } from '../harness/none-left.ts';
import { realCli, supportedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

describe.concurrent.each(supportedVersions)('a program of the official SDK with %s', (version) => {
  it('[U-3] is asked by canUseTool although it chooses no mode', async () => {
    await using scene = await openScene([toolUse('Write', { file_path: 'written', content: 'x' }), text('Done.')], {
      version,
    });
    const canUseTool = vi.fn(async () => ({ behavior: 'deny', message: 'No.' }) as const);
    const options = { ...optionsOf(scene), pathToClaudeCodeExecutable: realCli(version), canUseTool };
    await collect(query({ prompt: 'Write it.', options }));
    expect(canUseTool).toHaveBeenCalledOnce();
    expect(existsSync(join(scene.home.project, 'written'))).toBe(false);
  });
});

/** Programs written for the official SDK, on the real CLI. */
describe.concurrent('a program of the official SDK', () => {
  it('[U-2] with a text prompt receives the messages, one result and the end', async () => {
    await using scene = await openScene([text('Hi.')]);
    const { messages, thrown } = await collect(query({ prompt: 'Hello.', options: optionsOf(scene) }));
    expect(messages.map(labelOf)).toEqual(['system:init', 'assistant', 'result:success']);
    expect(thrown).toBeUndefined();
    expect(scene.api.requests.at(-1)?.system).not.toContain('You are Claude Code');
    await noneLeft(scene);
  });

  it('[U-2] with an iterable prompt sends two prompts in one conversation to the model', async () => {
    await using scene = await openScene([text('First.'), text('Second.')]);
    let next: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      next = resolve;
    });
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield userMessage('One.');
      await answered;
      yield userMessage('Two.');
    }
    const running = query({ prompt: prompts(), options: optionsOf(scene) });
    expect((await running.supportedModels()).length).toBeGreaterThan(2);
    const { messages } = await collect(running, (message) => message.type === 'result' && next());
    expect(messages.filter(isResult).map((message) => 'result' in message && message.result)).toEqual([
      'First.',
      'Second.',
    ]);
    expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
  });

  it('[U-2] receives an API error as a result, and then as an exception with its text', async () => {
    await using scene = await openScene([apiError(400, { message: 'the boat is too big', times: 9 })]);
    const { messages, thrown } = await collect(query({ prompt: 'Hello.', options: optionsOf(scene) }));
    expect(messages.filter(isResult)).toMatchObject([{ subtype: 'success', is_error: true }]);
    expect(String(thrown)).toBe('Error: Claude Code returned an error result: API Error: 400 the boat is too big');
    expect(thrown).toMatchObject({ cause: { code: 'process' } });
  });

  it('[U-3] can deny with canUseTool, observe with a hook, and answer with an in-process tool', async () => {
    const replies: Reply[] = [
      toolUse('mcp__boats__seats', { boat: 'Ariel' }),
      toolUse('Write', { file_path: '/tmp/never.txt', content: 'x' }),
      text('Done.'),
    ];
    await using scene = await openScene(replies);
    const seats = tool('seats', 'Seats.', { boat: z.string() }, async ({ boat }) => ({
      content: [{ type: 'text', text: `${boat} has 8 seats` }],
    }));
    const asked: string[] = [];
    const hooked: string[] = [];
    const options = optionsOf(scene, {
      mcpServers: { boats: createSdkMcpServer({ name: 'boats', tools: [seats] }) },
      canUseTool: async (name, input) => {
        asked.push(name);
        return name === 'Write'
          ? { behavior: 'deny', message: 'No oars.' }
          : { behavior: 'allow', updatedInput: input };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (input, toolUseID) => {
                if (input.hook_event_name === 'PreToolUse') hooked.push(`${input.tool_name} ${toolUseID?.slice(0, 6)}`);
                return {};
              },
            ],
          },
        ],
      },
    });
    const { messages } = await collect(query({ prompt: 'Go.', options }));
    expect(asked).toEqual(['mcp__boats__seats', 'Write']);
    expect(hooked).toEqual(['mcp__boats__seats toolu_', 'Write toolu_']);
    const results = scene.api.conversation.flatMap(({ toolResults }) => toolResults.map((one) => one.text));
    expect(results).toEqual(expect.arrayContaining(['Ariel has 8 seats', 'No oars.']));
    expect(messages.filter(isResult)[0]?.permission_denials).toMatchObject([{ tool_name: 'Write' }]);
  });

  it('[U-4] can interrupt a turn; an interrupt of the last turn is thrown', async () => {
    await using scene = await openScene([[delay(20_000), text('late')]]);
    const running = query({ prompt: 'Wait.', options: optionsOf(scene) });
    const reading = collect(running);
    await scene.api.waitForRequest(() => true);
    expect(await running.interrupt()).toEqual({ still_queued: [] });
    const { messages, thrown } = await reading;
    expect(messages.filter(isResult)).toMatchObject([{ subtype: 'error_during_execution' }]);
    expect(String(thrown)).toContain('Claude Code returned an error result');
  });

  it('[U-6] ends immediately without a process by close() during a tool', async () => {
    const command = "node -e 'setTimeout(() => {}, 33000)'";
    await using scene = await openScene([toolUse('Bash', { command, description: 'waits' }), text('late')]);
    const options = optionsOf(scene, { allowedTools: ['Bash'] });
    const running = query({ prompt: 'Go.', options });
    const reading = collect(running);
    await vi.waitFor(() => expect(scene.processes().some((one) => one.command.includes('33000'))).toBe(true), 20_000);
    running.close();
    expect((await reading).thrown).toBeUndefined();
    await noneLeft(scene);
  });
});

describe('the conversations of a program of the official SDK', () => {
  it('[U-2, U-5] are resumed, listed, read and deleted', async () => {
    await using scene = await openScene([text('Noted.'), text('Papaya.')]);
    const first = await collect(query({ prompt: 'The word is papaya.', options: optionsOf(scene) }));
    const id = first.messages[0]?.session_id ?? '';
    const second = await collect(query({ prompt: 'Which word?', options: optionsOf(scene, { resume: id }) }));
    expect(second.messages[0]?.session_id).toBe(id);
    vi.stubEnv('CLAUDE_CONFIG_DIR', scene.home.env().CLAUDE_CONFIG_DIR);
    try {
      const dir = scene.home.project;
      expect(await listSessions({ dir })).toMatchObject([{ sessionId: id, firstPrompt: 'The word is papaya.' }]);
      const messages = await getSessionMessages(id, { dir });
      expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
      await deleteSession(id, { dir });
      expect(await listSessions({ dir })).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

function optionsOf(scene: Scene, more: Options = {}): Options {
  const { home } = scene;
  return { pathToClaudeCodeExecutable: realCli(), cwd: home.project, model: 'sonnet', env: home.env(), ...more };
}

function userMessage(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

async function collect(
  running: Query,
  on: (message: SDKMessage) => unknown = () => {},
): Promise<{ messages: SDKMessage[]; thrown: unknown }> {
  const messages: SDKMessage[] = [];
  try {
    for await (const message of running) {
      messages.push(message);
      on(message);
    }
    return { messages, thrown: undefined };
  } catch (thrown) {
    return { messages, thrown };
  }
}

function labelOf(message: SDKMessage): string {
  return 'subtype' in message ? `${message.type}:${message.subtype}` : message.type;
}

function isResult(message: SDKMessage): message is SDKResultMessage {
  return message.type === 'result';
}
