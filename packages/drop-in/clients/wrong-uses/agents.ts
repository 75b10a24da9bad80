import type { AgentDefinition, Options, ThinkingConfig } from '@anthropic-ai/claude-agent-sdk';

const reviewer: AgentDefinition = {
  description: 'Reviews.',
  prompt: 'Review.',
  tools: ['Read'],
  model: 'haiku',
  effort: 'low',
};
export const thinking: ThinkingConfig = { type: 'enabled', budgetTokens: 1000 };
export const options: Options = { agents: { reviewer }, agent: 'reviewer', effort: 'high', thinking };
export const silent: AgentDefinition = { description: 'Reviews.' }; // wrong
export const extreme: AgentDefinition = { description: '', prompt: '', effort: 'extreme' }; // wrong
export const listed: Options = { agents: [reviewer] }; // wrong
export const thoughtful: Options = { thinking: { type: 'on' } }; // wrong
