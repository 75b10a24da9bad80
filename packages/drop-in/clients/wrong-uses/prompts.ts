import { query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', parent_tool_use_id: null, message: { role: 'user', content: 'Hello.' } };
  yield {
    type: 'user',
    session_id: '',
    parent_tool_use_id: null,
    message: {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } },
      ],
    },
  };
  yield { type: 'user', parent_tool_use_id: null, message: { role: 'robot', content: '' } }; // wrong
  yield { type: 'assistant', parent_tool_use_id: null, message: { role: 'user', content: '' } }; // wrong
  yield { type: 'user', message: { role: 'user', content: '' } }; // wrong
}

query({ prompt: prompts() });
query({ prompt: [] }); // wrong
