import type { Hono } from 'hono';
import type { Hub } from '../conversations/hub.ts';
import type { Env } from './access.ts';
import { actionIn, answerIn, bodyOf, queueActionIn } from './bodies.ts';

/** Everything that changes something; the hub refuses it in read-only mode. */
export function addSteering(app: Hono<Env>, hub: Hub): void {
  app.post('/api/conversations/:id/actions', async (context) => {
    const action = actionIn(await bodyOf(context.req.raw));
    return context.json(await hub.act(context.req.param('id'), action, { by: context.get('user') }));
  });

  app.post('/api/queues/:id/actions', async (context) => {
    const action = queueActionIn(await bodyOf(context.req.raw));
    return context.json(await hub.actOnQueue(context.req.param('id'), action, { by: context.get('user') }));
  });

  app.post('/api/approvals/:id', async (context) => {
    const answer = answerIn(await bodyOf(context.req.raw));
    return context.json(await hub.answer(context.req.param('id'), answer, { by: context.get('user') }));
  });
}
