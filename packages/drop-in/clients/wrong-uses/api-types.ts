import type { NonNullableUsage, SDKAssistantMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources';
import type { BetaContentBlock, BetaMessage } from '@anthropic-ai/sdk/resources/beta/messages/messages';

export const messageOf = ({ message }: SDKAssistantMessage): BetaMessage => message;
export const blocksOf = ({ message }: SDKAssistantMessage): BetaContentBlock[] => message.content;
export const answer = (message: BetaMessage): Pick<SDKAssistantMessage, 'message'> => ({ message });
export const paramOf = ({ message }: SDKUserMessage): MessageParam => message;
export const prompt = (message: MessageParam): SDKUserMessage => ({ type: 'user', parent_tool_use_id: null, message });
export const cached = (usage: NonNullableUsage): number => usage.cache_creation.ephemeral_1h_input_tokens;
export const textOf = ({ message }: SDKAssistantMessage): string => message.content; // wrong
export const first = ({ message }: SDKAssistantMessage): string => message.content[0].text; // wrong
export const wrong = (message: BetaMessage): Pick<SDKUserMessage, 'message'> => ({ message: [message] }); // wrong
