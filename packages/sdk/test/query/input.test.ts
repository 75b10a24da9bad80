import { describe, expect, it } from 'vitest';
import { query } from '../../src/query/query.ts';
import type { UserContent } from '../../src/wire/messages.ts';
import { FakeCli } from '../support/fake-cli.ts';
import { INIT, result, say } from '../support/say.ts';
import { seenBy } from '../support/seen.ts';

const ONE_SHOT = ['--print', '--output-format', 'stream-json', '--verbose'];

describe('a text prompt', () => {
  it('[C-7, O-7] is written to stdin, which is then closed, and is not in argv', async () => {
    const prompt = '  --help\n"quoted" ä 🎉\0\n';
    const { argv, stdin } = await seenBy({ prompt });
    expect(argv).toEqual(ONE_SHOT);
    expect(stdin).toBe(prompt);
  });

  it('[C-7] has no length limit', async () => {
    const prompt = 'x'.repeat(5_000_000);
    const { stdin } = await seenBy({ prompt });
    expect(stdin.length).toBe(prompt.length);
  });

  it('[C-6, C-7] is preceded by fixed arguments, then the options', async () => {
    const { argv } = await seenBy({
      model: 'opus',
      maxTurns: 3,
      allowedTools: ['Read', 'Bash(ls *)'],
      appendSystemPrompt: '-x',
    });
    expect(argv.slice(0, 4)).toEqual(ONE_SHOT);
    expect(argv.slice(4)).toEqual(
      expect.arrayContaining(['--model', 'opus', '--max-turns', '3', '--append-system-prompt=-x']),
    );
    expect(argv.join(' ')).not.toContain('hello');
  });
});

describe('a prompt of content blocks', () => {
  it('[O-7, C-7] is written as one line of stream-json to stdin, which is then closed', async () => {
    const prompt: UserContent = [
      { type: 'text', text: 'what is this?\nsay' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ];
    const { argv, stdin } = await seenBy({ prompt });
    expect(argv).toEqual([...ONE_SHOT, '--input-format', 'stream-json']);
    expect(stdin.endsWith('\n')).toBe(true);
    expect(stdin.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stdin)).toEqual({
      type: 'user',
      message: { role: 'user', content: prompt },
      parent_tool_use_id: null,
    });
  });

  it('[O-7, Q-4] ends the run like any other prompt', async () => {
    const { stream } = say([{ read: true }, { message: INIT }, { message: result() }], {
      prompt: [{ type: 'text', text: 'hello' }],
    });
    expect(await stream.collect()).toEqual({
      items: expect.any(Array),
      messages: [INIT, result()],
      warnings: [],
      errors: [],
    });
  });
});

it('[C-7, E-4] a CLI can answer without reading its prompt', async () => {
  const { stream } = say([{ message: INIT }, { message: result() }], { prompt: 'x'.repeat(5_000_000) });
  expect(await stream.text()).toBe('done');
  expect(await stream.closed).toMatchObject({ exitCode: 0 });
});

describe('a subagent with its own MCP server', () => {
  it('[C-10, O-7] is passed over stdin, where other users cannot read its secrets', async () => {
    const cli = new FakeCli();
    const server = { own: { command: 'x', args: ['--token', 'only-for-this-server'] } };
    const agents = { rev: { description: 'd', prompt: 'p', mcpServers: ['files', server] } };
    const stream = query('one', { transport: cli, agents });
    expect((await cli.got('initialize')).request?.agents).toEqual(agents);
    expect(JSON.stringify(cli.request?.argv)).not.toContain('only-for-this-server');
    cli.reply(await cli.got('prompt one'), 'Done.');
    expect(await stream.text()).toBe('Done.');
  });
});

describe('a query with an option that only the handshake has', () => {
  it.each([{ agentProgressSummaries: true }, { planModeInstructions: 'Think.' }, { toolAliases: { Shell: 'Bash' } }])(
    '[O-7] runs two-way and sends it: %o',
    async (option) => {
      const cli = new FakeCli();
      const stream = query('one', { transport: cli, ...option });
      expect((await cli.got('initialize')).request).toMatchObject(option);
      cli.reply(await cli.got('prompt one'), 'Done.');
      expect(await stream.text()).toBe('Done.');
    },
  );
});

describe('a query with fileCheckpointing', () => {
  it('[O-7, X-5] runs two-way, and its prompt has the id for rewindFiles()', async () => {
    const cli = new FakeCli();
    const stream = query('one', { transport: cli, fileCheckpointing: true });
    const prompt = await cli.got('prompt one');
    expect(prompt).toHaveProperty('uuid', expect.any(String));
    cli.reply(prompt, 'Done.');
    expect(await stream.text()).toBe('Done.');
  });
});
