import { inMemoryCli, type Script, script } from '@coxswain/testkit';
import { type AgentOptions, openSession, type StreamItem } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { plain } from '../../src/render/paint.ts';
import { Transcript } from '../../src/render/transcript.ts';

describe('a transcript', () => {
  it('[L-1] passes words on as they arrive, and ends the line of a block', async () => {
    const { pieces } = await shown(
      script().otherwise((turn) => turn.say('Two words.')),
      { includePartialMessages: true },
    );
    expect(pieces).toEqual([
      { kind: 'text', text: 'Two ' },
      { kind: 'text', text: 'words.' },
      { kind: 'text', text: '\n' },
    ]);
  });

  it('[L-1] shows an answer that was not streamed once, as a whole', async () => {
    const { out } = await shown(script().otherwise((turn) => turn.say('Whole.').say('Two.')));
    expect(out).toBe('Whole.\nTwo.\n');
  });

  it('[L-1] shows one line for each call, with target and outcome, in the order they end', async () => {
    const agent = script().otherwise((turn) =>
      turn
        .useTool('Bash', { command: 'make\nmake install' }, { result: 'a\nb\nc', permission: 'allow' })
        .useTool('mcp__ops__last_deploy', { service: 'api' }, { result: 'yesterday', permission: 'allow' })
        .useTool('Read', { file_path: 'x' }, { result: '<tool_use_error>gone</tool_use_error>', isError: true }),
    );
    expect((await shown(agent)).notes).toEqual([
      '✓ Bash make → a (+2 lines)',
      '✓ ops/last_deploy service: api → yesterday',
      '✗ Read x → gone',
    ]);
  });

  it('[L-1] folds the thinking of the model, or shows all of it', async () => {
    const agent = script().otherwise((turn) => turn.think('First this.\nThen that.').say('Done.'));
    expect((await shown(agent)).notes).toEqual(['∴ thought: First this.']);
    expect((await shown(agent, {}, { thinking: true })).notes).toEqual(['∴ thought', '  First this.', '  Then that.']);
  });

  it('[L-2] fits its lines to the terminal', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool(
        'Bash',
        { command: 'npm run a-very-long-command --with --many --flags' },
        { result: 'x'.repeat(200), permission: 'allow' },
      ),
    );
    const { notes } = await shown(agent, {}, { columns: 40 });
    expect(notes).toEqual(['✓ Bash npm run a-very-… → xxxxxxxxxxxxx…']);
    expect(notes[0]).toHaveLength(40);
  });

  it('[L-1] indents the output of a subagent, and does not mix it with the answer', async () => {
    const agent = script().otherwise((turn) =>
      turn
        .useAgent({ description: 'look around', prompt: 'look' }, (sub) =>
          sub.useTool('Read', { file_path: 'inside' }, { result: 'seen' }).say('I looked.'),
        )
        .say('It looked.'),
    );
    const { notes, out } = await shown(agent);
    expect(notes).toContain('  ✓ Read inside → seen');
    expect(notes.at(-1)).toMatch(/^✓ (Agent|Task) look around → /);
    expect(out).toBe('It looked.\n');
  });

  it('[L-1] shows retries, but does not show a failure report as an answer', async () => {
    const agent = script().otherwise((turn) => turn.apiError(529, { retries: 2 }));
    const { notes, out } = await shown(agent);
    expect(notes).toEqual([
      expect.stringMatching(/^! API: error 529, overloaded; retrying in 0\.0 s \(1 of \d+\)$/),
      expect.stringMatching(/\(2 of \d+\)$/),
    ]);
    expect(out).toBe('');
  });

  it('shows unfinished calls and the activity of the agent', () => {
    const transcript = new Transcript({ paint: plain, columns: () => 80, thinking: false });
    expect(transcript.activity).toBe('waiting');
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'sleep 9' } };
    transcript.take(item({ type: 'assistant', parent_tool_use_id: null, message: { id: 'm', content: [call] } }));
    expect(transcript.activity).toBe('Bash sleep 9');
    expect(transcript.end(0)).toEqual([{ kind: 'note', text: '– Bash sleep 9 → cut short' }]);
  });

  it('[L-2] accepts messages with missing fields', () => {
    const transcript = new Transcript({ paint: plain, columns: () => 80, thinking: false });
    const odd = [
      { type: 'assistant' },
      { type: 'stream_event' },
      { type: 'stream_event', event: { type: 'content_block_delta' } },
      { type: 'system', subtype: 'informational' },
      { type: 'system', subtype: 'api_retry' },
      { type: 'user', message: { content: [{ type: 'tool_result' }] } },
      { type: 'something_new' },
    ];
    for (const message of odd) expect(() => transcript.take(item(message))).not.toThrow();
  });
});

async function shown(
  agent: Script,
  options: AgentOptions = {},
  look: { thinking?: boolean; columns?: number } = {},
): Promise<{ pieces: ReturnType<Transcript['take']>; notes: string[]; out: string }> {
  const { transport } = inMemoryCli(agent);
  await using session = openSession({ transport, ...options });
  const { items } = await session.send('go').collect();
  const transcript = new Transcript({
    paint: plain,
    columns: () => look.columns ?? 100,
    thinking: look.thinking ?? false,
  });
  const pieces = [...items.flatMap((one) => transcript.take(one)), ...transcript.end(0)];
  const of = (kind: string): string[] => pieces.filter((piece) => piece.kind === kind).map(({ text }) => text);
  return { pieces, notes: of('note'), out: of('text').join('') };
}

function item(message: object): StreamItem {
  // Malformed messages, as a CLI could send them.
  return { kind: 'message', message: message as never, rawJson: JSON.stringify(message), seq: 0, at: 0 };
}
