import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

describe.concurrent.each(testedVersions)('rewinding the files of %s', (version) => {
  it('[X-1, X-5] restores their content from before a turn', async () => {
    await using stage = await openStage(
      ({ lastUserText, toolResults }) => {
        if (toolResults.length > 0) return text('written');
        return toolUse('Write', { file_path: join(stage.home.project, 'note.txt'), content: `${lastUserText}\n` });
      },
      { version },
    );
    const file = join(stage.home.project, 'note.txt');
    const session = await stage.start({ fileCheckpointing: true, permissionMode: 'acceptEdits' });
    const first = session.send('one');
    await first.text();
    const second = session.send('two');
    await second.text();
    expect(readFileSync(file, 'utf8')).toBe('two\n');

    const dry = await session.rewindFiles(second.id, { dryRun: true });
    expect(dry).toMatchObject({ canRewind: true, filesChanged: [file], insertions: 1, deletions: 1 });
    expect(readFileSync(file, 'utf8')).toBe('two\n');

    expect(await session.rewindFiles(second.id)).toMatchObject({ canRewind: true });
    expect(readFileSync(file, 'utf8')).toBe('one\n');
    expect(await session.rewindFiles(first.id)).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(false);

    await expect(session.rewindFiles('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
      code: 'control-request',
      kind: 'rewind_files',
      message: expect.stringContaining('No file checkpoint found'),
    });
  });
});
