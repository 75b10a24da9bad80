import { text, toolUse } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { supportedVersions } from '../harness/real-cli.ts';
import { historyOf } from './history.ts';
import { openParking } from './stage.ts';

describe.concurrent.each(supportedVersions)('a parked request of %s', (version) => {
  it('is asked again', async () => {
    await using stage = await openParking([() => toolUse('Bash', { command: `echo ran >> ${stage.path('ran')}` }, { id: 'toolu_one' }), text('done')], version);
    const { id, asked } = await stage.park();
    console.log(version, JSON.stringify(await stage.entries(id), null, 1).slice(0, 12000));
    const resumed = await stage.resume(id);
    const result = await resumed.result();
    console.log(version, JSON.stringify({ a: asked, b: resumed.asked, h: historyOf(stage.api.conversation.at(-1)), result, msgs: resumed.messages.map(m => [m.type, (m as any).subtype]), ran: stage.read('ran'), n: stage.api.conversation.length }, null, 1));
    console.log(JSON.stringify((await stage.entries(id)).map((e) => [e.type, (e as any).subtype, (e as any).attachment?.type, JSON.stringify((e as any).message?.content)?.slice(0, 100)]),null,0));
  });
});
