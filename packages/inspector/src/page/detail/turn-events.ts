import { signal } from '@preact/signals';
import type { ServerEvent, TurnInfo } from '../../api.ts';

/** The last turn reported by an event, while no event about it can have been missed. */
export const turnEvents = signal<{ readonly conversation: string; readonly turn: TurnInfo } | null>(null);

/** Follows the events about turns. */
export function followTurns(event: ServerEvent): void {
  if (event.type === 'turn') turnEvents.value = { conversation: event.conversation, turn: event.turn };
  else if (event.type === 'snapshot') forgetTurns();
}

/** Called when the events of a conversation are no longer received. */
export function forgetTurns(): void {
  turnEvents.value = null;
}
