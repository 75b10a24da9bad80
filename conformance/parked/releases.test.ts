import { describe } from 'vitest';
import { pinnedVersion } from '../harness/real-cli.ts';
import { measuring } from './measured.ts';
import { runsCommand } from './model.ts';
import { parkedVersions } from './versions.ts';
import { wordsOf } from './words.ts';

describe.concurrent.each(parkedVersions)('a request that is parked on %s', (version) => {
  const measure = measuring('releases', version);

  measure('parked by this release, resumed by the newest', runsCommand, async (stage) => {
    const { id, asked } = await stage.park();
    const resumed = await stage.resume(id, { version: pinnedVersion });
    return wordsOf({ stage, resumed, before: asked[0] });
  });

  measure('parked by the newest release, resumed by this one', runsCommand, async (stage) => {
    const { id, asked } = await stage.park({ version: pinnedVersion });
    const resumed = await stage.resume(id);
    return wordsOf({ stage, resumed, before: asked[0] });
  });
});
