import { text, thinking, toolUse } from '@coxswain/testkit';
import { assemblePartials, type Message, textDeltaOf, textOf } from 'coxswain';
import type { AssembledAssistantMessage } from 'coxswain/types';
import { describe, expect, it } from 'vitest';
import { supportedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

const SCRIPT = [
  [
    thinking('hm, well', { chunkSize: 4 }),
    text('one two three', { chunkSize: 4 }),
    toolUse('Bash', { command: 'true' }),
  ],
  text('end'),
];

describe.concurrent.each(supportedVersions)('partial messages of %s', (version) => {
  it('[M-5] deliver the text as it arrives, and add up to the whole answer', async () => {
    await using scene = await openScene(SCRIPT, { version });
    const stream = scene.query('count', { includePartialMessages: true });
    const { messages } = await stream.collect();
    const deltas = messages.map((message) => textDeltaOf(message)).filter((added) => added !== '');
    expect(deltas).toEqual(['one ', 'two ', 'thre', 'e', 'end']);

    const snapshots: AssembledAssistantMessage[] = [];
    let events = 0;
    for await (const message of assemblePartials(streamOf(messages))) {
      if (message.type === 'assistant') snapshots.push(message);
      else if (message.type === 'stream_event') events += 1;
    }
    expect(events).toBe(0);

    const [first, second] = [...new Set(snapshots.map(({ message }) => message.id))].map((id) =>
      snapshots.filter(({ message }) => message.id === id),
    );
    const texts = [...new Set(first?.map(textOf))];
    expect(texts).toEqual(['', 'one ', 'one two ', 'one two thre', 'one two three']);
    expect(first?.map(({ is_partial }) => is_partial).indexOf(false)).toBe((first?.length ?? 0) - 1);
    expect(first?.at(-1)?.message.content).toMatchObject([
      { type: 'thinking', thinking: 'hm, well' },
      { type: 'text', text: 'one two three' },
      { type: 'tool_use', name: 'Bash', input: { command: 'true' } },
    ]);
    expect(second?.at(-1)).toMatchObject({ is_partial: false, message: { content: [{ type: 'text', text: 'end' }] } });
  });
});

async function* streamOf(messages: Iterable<Message>): AsyncGenerator<Message> {
  yield* messages;
}
