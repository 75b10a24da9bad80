// Typical programs for the official SDK, written for this test. They only have to compile, here and with the built package.
import {
  AbortError,
  type CanUseTool,
  createSdkMcpServer,
  HOOK_EVENTS,
  type HookCallback,
  type HookEvent,
  type HookInput,
  InMemorySessionStore,
  listSessions,
  type McpServerConfig,
  type Options,
  type PermissionMode,
  type PermissionResult,
  type PreToolUseHookInput,
  type Query,
  query,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
  type SlashCommand,
  startup,
  tool,
} from '@coxswain/drop-in';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

/** Returns the text of the answer to one question. */
export async function answer(question: string): Promise<string> {
  let text = '';
  for await (const message of query({ prompt: question, options: { maxTurns: 1, allowedTools: ['Read'] } })) {
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (block.type === 'text') text += block.text;
        else if (block.type === 'tool_use') console.log(block.name, block.input);
      }
    }
    if (message.type === 'result') {
      if (message.subtype === 'success') text = message.result;
      else console.error(message.errors.join('\n'));
      const cost: number = message.total_cost_usd;
      console.log(cost, message.usage.input_tokens, message.usage.cache_read_input_tokens);
    }
    if (message.type === 'system' && message.subtype === 'init') {
      const tools: string[] = message.tools;
      const mode: PermissionMode = message.permissionMode;
      console.log(
        message.session_id,
        tools,
        mode,
        message.mcp_servers.map((server) => server.status),
      );
    }
    if (message.type === 'stream_event' && message.event.type === 'content_block_delta') {
      if (message.event.delta.type === 'text_delta') process.stdout.write(message.event.delta.text);
    }
  }
  return text;
}

/** A conversation with later prompts. */
export async function converse(lines: AsyncIterable<string>): Promise<SDKResultMessage[]> {
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for await (const line of lines) {
      yield { type: 'user', session_id: '', parent_tool_use_id: null, message: { role: 'user', content: line } };
    }
  }
  const results: SDKResultMessage[] = [];
  const running: Query = query({ prompt: prompts(), options: { model: 'sonnet', includePartialMessages: true } });
  const commands: SlashCommand[] = await running.supportedCommands();
  console.log(commands.map(({ name, argumentHint }) => `${name} ${argumentHint}`));
  await running.setPermissionMode('acceptEdits');
  await running.setModel();
  const first: IteratorResult<SDKMessage, void> = await running.next();
  if (!first.done) console.log(first.value.type);
  for await (const message of running) if (message.type === 'result') results.push(message);
  await running.interrupt();
  running.close();
  return results;
}

/** Content blocks, with an image. */
export async function* picture(data: string): AsyncGenerator<SDKUserMessage> {
  yield {
    type: 'user',
    parent_tool_use_id: null,
    message: {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      ],
    },
  };
}

/** Permissions with all their fields. */
export const ask: CanUseTool = async (toolName, input, { signal, suggestions, toolUseID, agentID, blockedPath }) => {
  if (signal.aborted) return { behavior: 'deny', message: 'Too late.', interrupt: true };
  if (toolName === 'Bash' && typeof input.command === 'string') {
    const allowed: PermissionResult = {
      behavior: 'allow',
      updatedInput: { ...input, command: `nice ${input.command}` },
    };
    if (suggestions) allowed.updatedPermissions = suggestions;
    return allowed;
  }
  console.log(toolUseID, agentID, blockedPath);
  return null;
};

const guard: HookCallback = async (input: HookInput, toolUseID, { signal }) => {
  if (input.hook_event_name !== 'PreToolUse' || signal.aborted) return {};
  const file = (input.tool_input as { file_path?: string }).file_path;
  if (!file?.endsWith('.env')) return { continue: true };
  console.log(toolUseID, (input as PreToolUseHookInput).tool_name);
  return {
    hookSpecificOutput: {
      hookEventName: input.hook_event_name,
      permissionDecision: 'deny',
      permissionDecisionReason: 'Secrets stay secret.',
    },
  };
};

const add = tool('add', 'Adds two numbers.', { a: z.number(), b: z.number().optional() }, async ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + (b ?? 0)) }],
}));
const older = tool('shout', 'Shouts.', { word: z3.string() }, async (args, extra) => {
  console.log(extra);
  return { content: [{ type: 'text' as const, text: args.word.toUpperCase() }], isError: false };
});
// @ts-expect-error the shape defines the input of the handler
tool('wrong', 'Is wrong.', { a: z.number() }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

export const servers: Record<string, McpServerConfig> = {
  own: createSdkMcpServer({ name: 'own', version: '1.0.0', tools: [add, older] }),
  files: { command: 'npx', args: ['-y', 'server'], env: { ROOT: '/' } },
  remote: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
};

export function optionsFor(abortController: AbortController, resume?: string): Options {
  const options: Options = {
    abortController,
    cwd: process.cwd(),
    env: { ...process.env, CLAUDE_AGENT_SDK_CLIENT_APP: 'boat/1.0' },
    systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
    settingSources: ['user', 'project'],
    mcpServers: servers,
    canUseTool: ask,
    hooks: { PreToolUse: [{ matcher: 'Write|Edit', hooks: [guard], timeout: 30 }], Stop: [{ hooks: [guard] }] },
    agents: { reviewer: { description: 'Reviews.', prompt: 'You review.', tools: ['Read'], model: 'haiku' } },
    outputFormat: { type: 'json_schema', schema: { type: 'object' } },
    thinking: { type: 'enabled', budgetTokens: 2_000 },
    extraArgs: { 'replay-user-messages': null },
    stderr: (data) => process.stderr.write(data),
    plugins: [{ type: 'local', path: './plugin' }],
    sandbox: { enabled: true, network: { allowLocalBinding: true } },
    onElicitation: async ({ message, serverName }) => {
      console.log(serverName, message);
      return { action: 'accept', content: { name: 'Ariel' } };
    },
  };
  if (resume) options.resume = resume;
  return options;
}

export async function carefully(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof AbortError) return;
    if (error instanceof Error && /process exited with code (\d+)/.test(error.message)) return;
    throw error;
  }
}

export async function others(): Promise<void> {
  const warm = await startup({ options: { model: 'haiku' }, initializeTimeoutMs: 10_000 });
  for await (const message of warm.query('Hello.')) console.log(message.type);
  for (const session of await listSessions({ dir: process.cwd(), limit: 5 })) {
    const title: string | undefined = session.customTitle;
    console.log(session.sessionId, session.summary, title, new Date(session.lastModified));
  }
  const events: readonly HookEvent[] = HOOK_EVENTS;
  const store = new InMemorySessionStore();
  console.log(events.length, store.size);
}

/** A switch over all messages, with a default for unknown ones. */
export function label(message: SDKMessage): string {
  switch (message.type) {
    case 'assistant':
      return textOf(message);
    case 'user':
      return typeof message.message.content === 'string' ? message.message.content : 'blocks';
    case 'result':
      return message.subtype === 'success' ? message.result : message.subtype;
    case 'system':
      return message.subtype === 'compact_boundary' ? message.compact_metadata.trigger : message.subtype;
    default:
      return message.type;
  }
}

function textOf(message: SDKAssistantMessage): string {
  return message.message.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('');
}
