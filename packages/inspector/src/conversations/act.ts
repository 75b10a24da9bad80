import type { Action, ActionName, Conversation } from '../api.ts';
import { Refusal } from '../refusal.ts';
import type { Actor, Controls } from './controls.ts';
import type { Activity } from './state.ts';

/** The parts of a conversation that its actions need. */
interface ActionTarget {
  readonly controls: Controls;
  summary(): Pick<Conversation, 'actions'>;
}

/** Performs an action on a conversation; resolves with the conversation to show next, if it is another one. @throws Refusal */
export async function act(conversation: ActionTarget, action: Action, actor: Actor): Promise<string | null> {
  const isNamedTurn =
    action.action === 'cancel' && action.turn !== undefined && conversation.controls.cancel !== undefined;
  if (!isNamedTurn && !conversation.summary().actions.includes(action.action)) {
    throw new Refusal('not-possible', `"${action.action}" is not possible for this conversation at the moment.`);
  }
  const { send, steer, interrupt, cancel, fork, resume, rename, close } = conversation.controls;
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
      return (await fork?.(action.text, actor, action.before)) ?? null;
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

/** The actions that are possible now. */
export function actionsOf(
  { send, steer, interrupt, cancel, fork, resume, rename, close }: Controls,
  { life, running, queued, parked }: Pick<Activity, 'life' | 'running' | 'queued' | 'parked'>,
): ActionName[] {
  const open = life === 'open';
  const can: readonly (readonly [ActionName, boolean])[] = [
    ['send', open && send !== undefined],
    ['steer', open && running > 0 && steer !== undefined],
    ['interrupt', open && (running > 0 || parked) && interrupt !== undefined],
    ['cancel', open && queued > 0 && cancel !== undefined],
    ['fork', fork !== undefined],
    ['resume', !open && resume !== undefined],
    ['rename', rename !== undefined],
    ['close', open && close !== undefined],
  ];
  return can.filter(([, possible]) => possible).map(([action]) => action);
}
