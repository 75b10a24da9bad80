import { describe, expect, it } from 'vitest';
import { withContextManager } from './recorder.ts';
import { type Stage, settled, stage } from './stage.ts';

withContextManager();

const SECRET = 'key-of-the-run-0123456789';
const texts = [
  ...['the private prompt', 'private input', 'private result', 'private answer', 'private-title'],
  ...[SECRET, 'sk-ant-api03-abcdefgh'],
];

describe('content', () => {
  it('[V-4] is not in any span by default', async () => {
    const played = await play({});
    const everything = JSON.stringify(
      played.traced.spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const words of texts) expect(everything).not.toContain(words);
    expect(played.traced.spans().length).toBeGreaterThan(3);
  });

  it('[V-4] is in the attributes of the conventions if the option is set, without secrets', async () => {
    const { traced } = await play({ content: true });
    expect(JSON.parse(attribute(traced.span('invoke_agent claude-code'), 'gen_ai.input.messages'))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'the private prompt with [redacted] and [redacted]' }] },
    ]);
    const tool = traced.span('execute_tool Bash');
    expect(JSON.parse(attribute(tool, 'gen_ai.tool.call.arguments'))).toEqual({ command: 'private input [redacted]' });
    expect(attribute(tool, 'gen_ai.tool.call.result')).toContain('private result [redacted]');
    const answers = traced.spans().map(({ attributes }) => attributes['gen_ai.output.messages']);
    expect(answers).toContainEqual(expect.stringContaining('private answer [redacted]'));
    const everything = JSON.stringify(traced.spans().map(({ attributes, events }) => [attributes, events]));
    expect(everything).not.toContain(SECRET);
    expect(everything).not.toContain('sk-ant-api03-abcdefgh');
  });

  it('[V-4] has no secret even if a text contains it as JSON', async () => {
    const apiKey = 'the "first" half\nand the second';
    const printed = `the settings: ${JSON.stringify({ apiKey })}`;
    const { client, traced } = stage(
      (turn) => turn.useTool('Read', { apiKey }, { result: printed, permission: 'allow' }).say(printed),
      {
        content: true,
        apiKey,
      },
    );
    await client.query(printed).text();
    await settled();
    const everything = traced.spans().map(({ attributes }) => JSON.stringify(attributes));
    for (const text of everything) expect(text).not.toContain('the second');
    expect(everything.filter((text) => text.includes('the settings: '))).toHaveLength(3);
  });

  it('[V-4] is cut, and redacted by the application; if its function throws, the text is hidden', async () => {
    const cut = await play({ content: { maxLength: 20, redact: (text) => text.replaceAll('private', '…') } });
    const prompt = attribute(cut.traced.span('invoke_agent claude-code'), 'gen_ai.input.messages');
    expect(prompt).toHaveLength(21);
    const broken = await play({
      content: {
        redact: () => {
          throw new Error('mine');
        },
      },
    });
    expect(attribute(broken.traced.span('execute_tool Bash'), 'gen_ai.tool.call.arguments')).toBe('[not redacted]');
  });

  it('[V-4] of a prompt with images contains only their kind', async () => {
    const { client, traced } = stage((turn) => turn.say('A boat.'), { content: true });
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const;
    await client.query([{ type: 'text', text: 'What is this?' }, image]).text();
    await settled();
    const prompt = attribute(traced.span('invoke_agent claude-code'), 'gen_ai.input.messages');
    expect(JSON.parse(prompt)[0].parts).toEqual([{ type: 'text', content: 'What is this?' }, { type: 'image' }]);
  });
});

async function play(options: Pick<NonNullable<Parameters<typeof stage>[1]>, 'content'>): Promise<Stage> {
  const set = stage(
    (turn) =>
      turn
        .useTool(
          'Bash',
          { command: `private input ${SECRET}` },
          { result: `private result ${SECRET}`, permission: 'allow' },
        )
        .say(`private answer ${SECRET}`)
        .fail(`private failure ${SECRET}`),
    { ...options, apiKey: SECRET },
  );
  const session = set.client.openSession({ title: 'private-title' });
  await session.send(`the private prompt with ${SECRET} and sk-ant-api03-abcdefgh`).collect();
  await session.close();
  await settled();
  return set;
}

function attribute({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }, name: string): string {
  return String(attributes[name]);
}
