// Reads every known kind of message, like most programs at first.
import {
  AbortError,
  type ModelUsage,
  type Options,
  query,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKPartialAssistantMessage,
  type SDKResultError,
  type SDKResultMessage,
  type SDKResultSuccess,
  type SDKSystemMessage,
  type SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk';

const controller = new AbortController();
const options: Options = {
  abortController: controller,
  model: 'sonnet',
  maxTurns: 3,
  permissionMode: 'acceptEdits',
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
  settingSources: ['user', 'project', 'local'],
  env: { ...process.env, MINE: '1', NOT_THIS: undefined },
};

export async function main(): Promise<string> {
  let sessionId: string | undefined;
  let answer = '';
  try {
    for await (const message of query({ prompt: 'Hello.', options })) {
      if (message.type === 'system' && message.subtype === 'init') {
        sessionId = message.session_id;
        const tools: string[] = message.tools;
        console.log(message.model, message.cwd, tools.length, message.mcp_servers[0]?.status, message.permissionMode);
      } else if (message.type === 'assistant') {
        answer += textOf(message);
      } else if (message.type === 'stream_event') {
        answer += deltaOf(message);
      } else if (message.type === 'result') {
        console.log(costOf(message));
      }
    }
  } catch (error) {
    if (error instanceof AbortError) return 'stopped';
    throw error;
  }
  return `${sessionId ?? ''} ${answer}`;
}

function textOf({ message }: SDKAssistantMessage): string {
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function deltaOf({ event }: SDKPartialAssistantMessage): string {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') return event.delta.text;
  return '';
}

function costOf(result: SDKResultMessage): string {
  const usage: Record<string, ModelUsage> = result.modelUsage;
  const tokens: number = result.usage.input_tokens + result.usage.output_tokens + result.usage.cache_read_input_tokens;
  const spent = Object.values(usage).reduce((sum, { costUSD }) => sum + costUSD, 0);
  if (result.subtype === 'success') return `${result.result} ${result.total_cost_usd} ${spent} ${tokens}`;
  return failureOf(result);
}

const failureOf = (result: SDKResultError): string => `${result.subtype}: ${result.errors.join('; ')}`;

/** Handles the common kinds; ignores the others. */
export function describe(message: SDKMessage): string | undefined {
  switch (message.type) {
    case 'assistant':
      return message.error ?? message.message.stop_reason ?? message.uuid;
    case 'user':
      return typeof message.message.content === 'string' ? message.message.content : message.message.content[0]?.type;
    case 'result':
      return String(message.duration_ms);
    case 'system':
      return message.subtype === 'compact_boundary' ? message.compact_metadata.trigger : message.subtype;
    case 'tool_progress':
      return message.tool_name;
    default:
      return undefined;
  }
}

export const isSuccess = (message: SDKMessage): message is SDKResultSuccess =>
  message.type === 'result' && message.subtype === 'success';
export const isInit = (message: SDKMessage): message is SDKSystemMessage =>
  message.type === 'system' && message.subtype === 'init';

export const asMessage = (text: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
  session_id: '',
});
