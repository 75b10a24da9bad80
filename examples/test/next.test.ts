import { inMemoryCli, script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { answer } from '../next/route.ts';

const agent = script()
  .onPrompt('phases', (turn) =>
    turn.say('Let me look.').useTool('Read', { file_path: '/notes.md' }, { result: 'four' }).say('Four phases.'),
  )
  .onPrompt('remove', (turn) => turn.useTool('Bash', { command: 'rm -rf /' }).say('I may not.'))
  .otherwise((turn) => turn.say('No').crash({ signal: 'SIGKILL' }));

describe('the example of a route for useChat', () => {
  it('[K-1] streams text and tools as parts of the protocol', async () => {
    const { response, parts } = await chat('Name the phases.');
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(types(parts)).toEqual([
      'start',
      ...['text-start', 'text-delta', 'text-end'],
      ...['tool-input-available', 'tool-output-available'],
      ...['text-start', 'text-delta', 'text-end'],
      'finish',
      '[DONE]',
    ]);
    expect(parts).toContainEqual(expect.objectContaining({ toolName: 'Read', input: { file_path: '/notes.md' } }));
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-output-available', output: 'four' }));
    const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
    expect(text).toBe('Let me look.Four phases.');
  });

  it('[K-1] runs no tool that changes anything', async () => {
    const { runs } = await chat('Please remove everything.');
    expect(runs()[0]?.tools).toMatchObject([{ name: 'Bash', outcome: 'unavailable' }]);
  });

  it('[K-1] reports a failure as a part, without details', async () => {
    const { parts } = await chat('Crash.');
    expect(types(parts).slice(-3)).toEqual(['error', 'finish', '[DONE]']);
    expect(parts.find(({ type }) => type === 'error')?.errorText).toMatch(/^[a-z-]+$/);
  });

  it('[K-1] refuses what is no chat', async () => {
    for (const body of ['', '{}', '{"messages":[]}', '{"messages":[{"role":"user","parts":[]}]}']) {
      const response = await answer(new Request('http://localhost/api/chat', { method: 'POST', body }));
      expect(response.status).toBe(400);
    }
  });
});

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function chat(text: string) {
  const { transport, runs } = inMemoryCli(agent);
  const body = JSON.stringify({ id: 'c1', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }] });
  const request = new Request('http://localhost/api/chat', { method: 'POST', body });
  const response = await answer(request, { transport });
  const blocks = (await response.text()).trim().split('\n\n');
  const parts = blocks.map((block): Part => {
    const data = block.replace(/^data: /, '');
    return data === '[DONE]' ? { type: data } : JSON.parse(data);
  });
  return { response, parts, runs };
}

/** The types in order, with text that arrives in several pieces as one. */
function types(parts: readonly Part[]): string[] {
  return parts.map(({ type }) => type).filter((type, at, all) => type !== 'text-delta' || all[at - 1] !== type);
}
