import { describe, expect, it } from 'vitest';
import { type ApiRequest, recordRequest } from '../../src/fake-api/request.ts';

describe('recordRequest', () => {
  it('[K-2] reads model, system prompt, tools and the text of the user', () => {
    const request = record({
      model: 'claude-x',
      stream: true,
      system: [
        { type: 'text', text: 'You are' },
        { type: 'text', text: 'helpful.' },
      ],
      tools: [{ name: 'Bash' }, { name: 'Read' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '<system-reminder>\nnot typed\n</system-reminder>' },
            { type: 'text', text: 'list the files' },
          ],
        },
        { role: 'system', content: 'an aside of the CLI' },
      ],
    });
    expect(request).toMatchObject({
      kind: 'main',
      isMainConversation: true,
      model: 'claude-x',
      stream: true,
      system: 'You are\nhelpful.',
      tools: ['Bash', 'Read'],
      lastUserText: 'list the files',
      toolResults: [],
    });
  });

  it('[K-2] returns the results of the newest message, and the prompt', () => {
    const request = record({
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'plain' },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'bad' }], is_error: true },
          ],
        },
      ],
    });
    expect(request.lastUserText).toBe('go');
    expect(request.toolResults).toEqual([
      { toolUseId: 'toolu_1', toolName: 'Bash', text: 'plain', isError: false },
      { toolUseId: 'toolu_2', toolName: undefined, text: 'bad', isError: true },
    ]);
  });

  it('[K-2] returns the conversation so far, turn by turn', () => {
    const { turns } = record({
      messages: [
        { role: 'user', content: [text('<system-reminder>x</system-reminder>'), text('go')] },
        {
          role: 'assistant',
          content: [text('Let me.'), { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a b' }, text('hurry')] },
      ],
    });
    expect(turns).toEqual([
      { role: 'user', text: 'go', toolUses: [], toolResults: [] },
      {
        role: 'assistant',
        text: 'Let me.',
        toolUses: [{ id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
        toolResults: [],
      },
      {
        role: 'user',
        text: 'hurry',
        toolUses: [],
        toolResults: [{ toolUseId: 'toolu_1', toolName: 'Bash', text: 'a b', isError: false }],
      },
    ]);
  });

  it('[K-2] returns the deferred tools', () => {
    const reminder =
      '<system-reminder>\nThe following deferred tools are now available via ToolSearch. Load them first:\nMonitor\nmcp__shop__orders\n</system-reminder>';
    const request = record({
      tools: [{ name: 'Bash' }],
      messages: [{ role: 'user', content: [text(reminder), text('go')] }],
    });
    expect(request).toMatchObject({
      tools: ['Bash'],
      deferredTools: ['Monitor', 'mcp__shop__orders'],
      lastUserText: 'go',
    });
  });

  it('[K-2] returns the deferred tools of 2.1.325, which lists them in a message of the system', () => {
    const listed =
      '# Environment\nLinux\n\nThe following deferred tools are now available via ToolSearch. Load them with "select:<name>":\nMonitor\nWebFetch\n\nAvailable agent types:\n- claude: all';
    const request = record({
      messages: [
        { role: 'user', content: 'go' },
        { role: 'system', content: [text(listed)] },
      ],
    });
    expect(request.deferredTools).toEqual(['Monitor', 'WebFetch']);
  });

  it('[K-2] returns the tools with their schemas, the thinking options, and the betas', () => {
    const input_schema = { type: 'object', properties: { command: { type: 'string' } } };
    const request = recordRequest({
      ...ARRIVED,
      headers: { 'anthropic-beta': 'one-2025-01-01,two-2026-01-01' },
      body: JSON.stringify({
        max_tokens: 32_000,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        tools: [
          { name: 'Bash', description: 'Runs a command.', input_schema },
          { type: 'web_search_20250305', name: 'web_search' },
        ],
      }),
    });
    expect(request.toolDefinitions).toEqual([
      { name: 'Bash', description: 'Runs a command.', inputSchema: input_schema },
      { name: 'web_search', description: '', inputSchema: {} },
    ]);
    expect(request).toMatchObject({
      maxTokens: 32_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      betas: ['one-2025-01-01', 'two-2026-01-01'],
    });
  });

  it('[K-2] accepts a malformed body', () => {
    for (const body of ['', 'not json', '[]', '{"messages":"x","tools":3,"system":{}}', '{"messages":[null,1]}']) {
      const request = recordRequest({ ...ARRIVED, body });
      expect(request).toMatchObject({ lastUserText: '', toolResults: [], tools: [], system: '', betas: [] });
      expect(request.turns.every(({ text }) => text === '')).toBe(true);
    }
  });

  it.each<[ApiRequest['kind'], object, Partial<typeof ARRIVED>]>([
    ['main', { tools: [], messages: [user('hi')] }, {}],
    ['subagent', { tools: [{ name: 'Bash' }] }, { headers: { 'x-claude-code-agent-id': 'a1' } }],
    ['title', { tools: [], output_config: { format: { type: 'json_schema' } } }, {}],
    ['model-check', { max_tokens: 1, messages: [user('Hi')] }, {}],
    ['web-search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, {}],
    ['compaction', { messages: [user('x'), user('CRITICAL: Respond with TEXT ONLY. Do NOT …')] }, {}],
    ['side-question', { messages: [user('<system-reminder>This is a side question from the user.')] }, {}],
    ['suggestion', { messages: [user('[SUGGESTION MODE: Suggest …')] }, {}],
    ['count-tokens', { messages: [user('x')] }, { url: '/v1/messages/count_tokens?beta=true' }],
    ['other', {}, { url: '/v1/models' }],
    ['other', {}, { method: 'HEAD', url: '/' }],
  ])('[K-2] recognizes a %s request', (kind, body, arrived) => {
    const request = recordRequest({ ...ARRIVED, ...arrived, body: JSON.stringify(body) });
    expect(request.kind).toBe(kind);
    expect(request.isMainConversation).toBe(kind === 'main');
  });
});

const ARRIVED = { seq: 1, at: 0, method: 'POST', url: '/v1/messages?beta=true', headers: {}, body: '' };

function record(body: object): ApiRequest {
  return recordRequest({ ...ARRIVED, body: JSON.stringify(body) });
}

function text(value: string): object {
  return { type: 'text', text: value };
}

function user(content: string): object {
  return { role: 'user', content };
}
