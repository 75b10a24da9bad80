import { expectThat } from '@coxswain/testkit';
import { deny, query, textDeltaOf } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startedSession } from '../harness/started-session.ts';
import { Bill, bounds } from './bounds.ts';

const bill = new Bill();
afterAll(() => console.log(`live: ${bill}`));

describe('the real CLI and the real API', () => {
  it('answer a prompt, and report its cost', async () => {
    const stream = query('Reply with the single word: pong', bounds);
    expect((await stream.text()).toLowerCase()).toContain('pong');
    const result = await stream.result();
    bill.add(result);
    expect(result.total_cost_usd).toBeGreaterThan(0);
    expect(result.usage.output_tokens).toBeGreaterThan(0);
  });

  it('stream the text as it arrives', async () => {
    const stream = query('Count from one to twenty in words, one per line.', {
      ...bounds,
      includePartialMessages: true,
    });
    let pieces = 0;
    for await (const message of stream) if (textDeltaOf(message) !== '') pieces += 1;
    bill.add(await stream.result());
    expect(pieces).toBeGreaterThan(1);
  });

  it('call a tool of this process and use its result', async () => {
    const lucky = tool('lucky_number', 'The lucky number of a person.', z.object({ name: z.string() }), () => '7314');
    const stream = query('What is the lucky number of Ada? Use the tool lucky_number, then reply with the number.', {
      ...bounds,
      mcpServers: { numbers: toolServer({ name: 'numbers', tools: [lucky] }) },
    });
    const answer = await stream.collect();
    bill.add(await stream.result());
    expectThat(answer).toHaveRunTool('mcp__numbers__lucky_number', { name: /ada/i });
    expectThat(answer).toHaveCompleted('7314');
  });

  it('obey a guard', async () => {
    const stream = query('Run the shell command `echo hello` with the Bash tool. If that is refused, reply: refused', {
      ...bounds,
      allowedTools: ['Bash'],
      hooks: { PreToolUse: { matcher: 'Bash', onFailure: 'block', run: () => deny('No commands in this test.') } },
    });
    const answer = await stream.collect();
    bill.add(await stream.result());
    expectThat(answer).toHaveRefusedTool('Bash');
    expectThat(answer).not.toHaveRunTool('Bash');
  });

  it('return structured output that matches the schema', async () => {
    const stream = query('A rowing eight has eight rowers and one coxswain. How many people is that?', {
      ...bounds,
      outputSchema: z.object({ people: z.number().int() }),
    });
    expect(await stream.output()).toEqual({ people: 9 });
    bill.add(await stream.result());
  });

  it('remember the first turn of a session in the second', async () => {
    await using session = await startedSession(bounds);
    await session.send('My word is "oar". Reply with: noted').text();
    const second = session.send('What is my word? Reply with the word alone.');
    expect((await second.text()).toLowerCase()).toContain('oar');
    bill.add(await second.result());
  });
});
