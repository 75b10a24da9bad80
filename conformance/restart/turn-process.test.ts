import { type ApiScript, text, toolUse, usage } from '@coxswain/testkit';
import { openSession, outcomeOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

/** The cost of one answer with 1000 input and 100 output tokens with this model. */
const UNIT = 0.0045;
const MODEL = 'claude-sonnet-4-5';
const PRICED = usage({ input_tokens: 1_000, output_tokens: 100 });

const answers: ApiScript = ({ tools, lastUserText }) => {
  if (tools.includes('StructuredOutput')) return [toolUse('StructuredOutput', { answer: 42 }), PRICED];
  return [lastUserText?.includes('tool') ? toolUse('Bash', { command: 'true' }) : text('done'), PRICED];
};

describe.concurrent.each(testedVersions)('a turn of a restarting session, with %s', (version) => {
  it('[S-7, A-7] has its own tools, turn limit, budget and schema, and the conversation continues across the processes', async () => {
    await using scene = await openScene(answers, { version });
    const { api, home } = scene;
    await using session = openSession({
      cli: realCli(version),
      cwd: home.project,
      inheritEnv: false,
      env: home.env(),
      model: MODEL,
      restart: { delayMs: 0 },
    });
    await session.ready;
    const { id } = session;
    expect(await session.send('first prompt').text()).toBe('done');

    // Some tools for one turn, and all tools for the next.
    await session.send('second prompt', { tools: ['Read'] }).text();
    expect(api.conversation.at(-1)?.tools).toEqual(['Read']);
    await session.send('third prompt').text();
    expect(api.conversation.at(-1)?.tools).toContain('Bash');

    // A limit of turns, with tools that are allowed or not.
    const allowed = session.send('use a tool', { maxTurns: 1, allowedTools: ['Bash'] });
    const result = await allowed.result();
    expect([outcomeOf(result).kind, result.permission_denials]).toEqual(['max-turns', []]);

    // A budget that the first answer exceeds; the next turn does not inherit it.
    expect(outcomeOf(await session.send('use a tool', { maxBudgetUsd: 0.5 * UNIT }).result()).kind).toBe('budget');
    expect(outcomeOf(await session.send('one more', { maxBudgetUsd: 1.5 * UNIT }).result()).kind).toBe('completed');
    expect(outcomeOf(await session.send('and one').result()).kind).toBe('completed');

    // A schema.
    const structured = session.send('how many', { outputSchema: z.object({ answer: z.number() }) });
    expect((await structured.output()).answer.toFixed(1)).toBe('42.0');
    expect(await session.send('last prompt').text()).toBe('done');
    expect(api.conversation.at(-1)?.tools).not.toContain('StructuredOutput');

    const history = JSON.stringify(api.conversation.at(-1)?.body.messages);
    for (const prompt of ['first prompt', 'second prompt', 'third prompt', 'use a tool', 'how many']) {
      expect(history).toContain(prompt);
    }
    expect(session.id).toBe(id);
    expect(session.cost().costUsd).toBeCloseTo(api.conversation.length * UNIT, 6);
  });

  it('[S-7] cannot have its own system prompt: 2.1.325 keeps the original one, 2.1.197 uses the new one', async () => {
    await using scene = await openScene(answers, { version });
    const { api } = scene;
    const asked = (): string => JSON.stringify(api.conversation.at(-1)?.body.system);
    const first = scene.query('first prompt', { model: MODEL, systemPrompt: 'You row.' });
    await first.text();
    expect(asked()).toContain('You row.');
    await scene.query('second prompt', { model: MODEL, systemPrompt: 'You sail.', resume: first.sessionId }).text();
    expect(asked()).toContain(version === '2.1.197' ? 'You sail.' : 'You row.');
  });
});
