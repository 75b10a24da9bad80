import type { Action } from '../api.ts';
import { Refusal } from '../refusal.ts';
import type { Actor } from './controls.ts';
import type { ConversationRecord } from './record.ts';

/** Does something with a conversation; resolves with the one to look at next, if it is another. @throws Refusal */
export async function act(record: ConversationRecord, action: Action, actor: Actor): Promise<string | null> {
  if (!record.summary().actions.includes(action.action)) {
    throw new Refusal('not-possible', `"${action.action}" is not possible for this conversation now.`);
  }
  const { send, steer, interrupt, cancel, fork, resume, rename, close } = record.controls;
  switch (action.action) {
    case 'send':
      await send?.(action.text, actor);
      return null;
    case 'steer':
      await steer?.(action.text, actor);
      return null;
    case 'interrupt':
      await interrupt?.(actor);
      return null;
    case 'cancel':
      await cancel?.(action.turn, actor);
      return null;
    case 'fork':
      return (await fork?.(action.text, actor)) ?? null;
    case 'resume':
      return (await resume?.(action.text, actor)) ?? null;
    case 'rename':
      await rename?.(action.title, actor);
      return null;
    case 'close':
      await close?.(actor);
      return null;
  }
}
