import { text, toolUse } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { supportedVersions } from '../harness/real-cli.ts';
import { openPoolStage } from './stage.ts';

describe.concurrent.each(supportedVersions)('the items of a job of %s', (version) => {
  it('[A-6, Q-2, P-7] and the events contain a permission between the tool call and its result', async () => {
    const script = [toolUse('Write', { file_path: 'log.txt', content: 'x' }), text('written')];
    await using stage = await openPoolStage(script, { version });
    const pool = stage.pool({ size: 1, defaults: { canUseTool: () => decideLater() } });
    const seen: string[] = [];
    for await (const item of pool.submit({ id: 'writes', prompt: 'go' }).items({ permissions: true })) {
      if (item.kind === 'permission-requested') await pool.answerPermission(item.id, allow());
      if (item.kind !== 'message') seen.push(item.kind);
      else if (['assistant', 'user', 'result'].includes(item.message.type)) seen.push(item.message.type);
    }
    expect(seen).toEqual(['assistant', 'permission-requested', 'permission-answered', 'user', 'assistant', 'result']);
    expect(await stage.happened('permission-answered')).toMatchObject({ job: 'writes', decision: 'allow' });
  });
});
