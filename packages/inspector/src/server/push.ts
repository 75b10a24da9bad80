import type { Hono } from 'hono';
import type { PushInfo } from '../api.ts';
import type { Pusher } from '../push/pusher.ts';
import { badRequest } from '../refusal.ts';
import { textIn } from '../transcript/fields.ts';
import type { Env } from './access.ts';
import { bodyOf } from './bodies.ts';

/** The routes with which browsers subscribe to notifications. */
export function addPush(app: Hono<Env>, pusher: Pusher): void {
  app.get('/api/push', (context) => context.json({ publicKey: pusher.publicKey } satisfies PushInfo));

  app.post('/api/push', async (context) => {
    await pusher.subscribe(await bodyOf(context.req.raw));
    return context.json({ ok: true });
  });

  app.post('/api/push/remove', async (context) => {
    const endpoint = textIn(await bodyOf(context.req.raw), 'endpoint');
    if (endpoint === null) throw badRequest('endpoint must be a string');
    await pusher.unsubscribe(endpoint);
    return context.json({ ok: true });
  });
}
