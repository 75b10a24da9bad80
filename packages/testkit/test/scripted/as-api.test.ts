import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeApi, startFakeApi } from '../../src/fake-api/server.ts';
import { asApiScript } from '../../src/scripted/as-api.ts';
import { faults } from '../../src/scripted/faults.ts';
import { script } from '../../src/scripted/script.ts';

type Message = { role: string; content: unknown };

describe('a script played by the fake API', () => {
  const agent = script()
    .onPrompt('busy', (turn) => turn.apiRetry(529).say('At last.'))
    .onPrompt('never', (turn) => turn.apiError(400))
    .onPrompt('send', (turn) =>
      turn.useAgent({ description: 'd', prompt: 'Look around.' }, (sub) => sub.say('Nothing.')).say('Done.'),
    )
    .otherwise((turn) => turn.think('Hm.').say('Let me look.').useTool('Bash', { command: 'ls' }).say('It is empty.'));
  let api: FakeApi;
  beforeEach(async () => {
    api = await startFakeApi(asApiScript(agent));
  });
  afterEach(() => api.close());

  it('[K-1, K-2] sends one message up to its tools, and the next after their results', async () => {
    const first = await ask([user('x')]);
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
    ]);
    const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'any', content: '' }] };
    const second = await ask([user('x'), { role: 'assistant', content: first.content }, results]);
    expect(second.content).toMatchObject([{ type: 'text', text: 'It is empty.' }]);
  });

  it('[K-1, K-2] fails as often as scripted, or always', async () => {
    expect([(await ask([user('busy')])).status, (await ask([user('busy')])).content]).toMatchObject([
      529,
      [{ text: 'At last.' }],
    ]);
    for (let n = 0; n < 3; n += 1) expect((await ask([user('never')])).status).toBe(400);
  });

  it('[K-1, K-2] sends a subagent its own messages', async () => {
    expect((await ask([user('send')])).content).toMatchObject([{ name: 'Agent', input: { prompt: 'Look around.' } }]);
    const headers = { 'x-claude-code-agent-id': 'a1' };
    expect((await ask([user('Look around.')], headers)).content).toMatchObject([{ text: 'Nothing.' }]);
  });

  async function ask(messages: readonly Message[], headers: Record<string, string> = {}) {
    const body = JSON.stringify({ model: 'm', max_tokens: 100, messages });
    const response = await fetch(`${api.url}/v1/messages`, { method: 'POST', headers, body });
    const { content } = (await response.json()) as { content: unknown };
    return { status: response.status, content };
  }
});

describe('asApiScript()', () => {
  it.each([
    ['crash()', script().otherwise((turn) => turn.say('Hm.').crash()), "the fault 'crash'"],
    ['exit()', script().otherwise((turn) => turn.exit(3)), "the fault 'exit'"],
    ['ifRefused()', script().otherwise((turn) => turn.ifRefused((refused) => refused.say('no'))), 'ifRefused()'],
    ['fail()', script().otherwise((turn) => turn.fail('no')), 'fail()'],
    ['maxTurns()', script().otherwise((turn) => turn.maxTurns()), 'maxTurns()'],
    ['rateLimited()', script().otherwise((turn) => turn.rateLimited()), 'rateLimited()'],
    ['notLoggedIn()', script().otherwise((turn) => turn.notLoggedIn()), 'notLoggedIn()'],
    ['a failed connection', script().otherwise((turn) => turn.apiRetry(null)), 'apiRetry(null)'],
    ['a fault of the whole script', script().fault(faults.deaf()), "the fault 'deaf'"],
    ['a step at the start', script().atStart((turn) => turn.stderr('Hm.')), 'atStart()'],
    ['a rule for one run', script().otherwise((turn) => turn.say('Hm.'), { inRun: 2 }), 'inRun'],
    [
      'crash() of a subagent',
      script().otherwise((turn) => turn.useAgent({ description: 'd', prompt: 'p' }, (sub) => sub.crash())),
      "the fault 'crash'",
    ],
    [
      'crash() after a background command',
      script().otherwise((turn) => turn.runInBackground('make', {}, (later) => later.crash())),
      "the fault 'crash'",
    ],
  ] as const)('[K-2] throws for %s instead of dropping it', (_, agent, what) => {
    expect(() => asApiScript(agent)).toThrow(new RegExp(`cannot convert .*${escaped(what)}.*scriptedCli\\(\\)`));
  });
});

function escaped(text: string): string {
  return text.replace(/[()]/g, '\\$&');
}

function user(content: string): Message {
  return { role: 'user', content };
}
