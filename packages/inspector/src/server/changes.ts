import type { Hono } from 'hono';
import { changesOf, conversationPatch, mergedDiff } from '../changes/changes.ts';
import type { Hub } from '../conversations/hub.ts';
import { Refusal } from '../refusal.ts';
import type { Env } from './access.ts';

/** The routes of the changes of a conversation. */
export function addChanges(app: Hono<Env>, hub: Hub): void {
  app.get('/api/conversations/:id/changes', async (context) =>
    context.json(await changesOf(await hub.opened(context.req.param('id')))),
  );

  app.get('/api/conversations/:id/changes/diff', async (context) => {
    const record = await hub.opened(context.req.param('id'));
    const diff = await mergedDiff(record, context.req.query('path') ?? '');
    if (!diff) throw new Refusal('not-found', 'This conversation has not changed this file.');
    return context.json(diff);
  });

  app.get('/api/conversations/:id/changes/patch', async (context) => {
    const record = await hub.opened(context.req.param('id'));
    const patch = await conversationPatch(record, context.req.query('path') || undefined);
    return context.body(patch, 200, {
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="${record.id.replace(/[^\w-]/g, '_')}.patch"`,
    });
  });
}
