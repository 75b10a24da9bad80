import { text } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

describe.concurrent.each(testedVersions)('a prompt for %s', (version) => {
  it('[C-7] may start with a dash, and keeps its line breaks, quotes and other scripts', async () => {
    const prompt = '--help -x looks like a flag\nfirst "line"\n\tsecond $HOME `x` \\n\r\nдри 漢字 🚣';
    await using scene = await openScene([text('fine')], { version });
    expect(await scene.query(prompt).text()).toBe('fine');
    expect(scene.api.conversation[0]?.lastUserText).toBe(prompt);
  });

  it('[C-7] of 2 MB reaches the API complete and is never on the command line', async () => {
    const prompt = `begin ${'0123456789 äöü '.repeat(120_000)}end`;
    const commands: string[] = [];
    await using scene = await openScene(
      () => {
        commands.push(...scene.processes().map(({ command }) => command));
        return text('read');
      },
      { version },
    );
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(2_000_000);
    expect(await scene.query(prompt).text()).toBe('read');
    // Not `toBe(prompt)`: a failure would print it.
    expect(scene.api.conversation[0]?.lastUserText === prompt).toBe(true);
    expect(commands).toHaveLength(1);
    expect(commands[0]).not.toContain('0123456789');
  });

  it('[O-7] may consist of blocks, text and an image', async () => {
    await using scene = await openScene([text('I see a dot.')], { version });
    const source = { type: 'base64', media_type: 'image/png', data: DOT } as const;
    const stream = scene.query([
      { type: 'text', text: 'What is this?' },
      { type: 'image', source },
    ]);
    expect(await stream.text()).toBe('I see a dot.');
    expect(stream.results).toHaveLength(1);
    expect(await stream.closed).toMatchObject({ exitCode: 0 });
    const sent = JSON.stringify(scene.api.conversation[0]?.body.messages);
    expect(sent).toContain('What is this?');
    expect(sent).toContain('"type":"image"');
  });
});

/** A PNG of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
