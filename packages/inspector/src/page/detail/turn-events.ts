import { signal } from '@preact/signals';
import type { ServerEvent, TurnInfo } from '../../api.ts';

/** The last turn that an event reported. */
export const turnEvents = signal<{ readonly conversation: string; readonly turn: TurnInfo } | null>(null);

/** Follows the events about turns. */
export function followTurns(event: ServerEvent): void {
  if (event.type === 'turn') turnEvents.value = { conversation: event.conversation, turn: event.turn };
}
