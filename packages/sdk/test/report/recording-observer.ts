import { AsyncLocalStorage } from 'node:async_hooks';
import type { RunEvent } from '../../src/report/events.ts';
import type {
  ObservedMessage,
  ObservedPrompt,
  ObservedRun,
  ObservedTurnEnd,
  RunObserver,
} from '../../src/report/run-observer.ts';

/** The name of the caller. */
export const caller: AsyncLocalStorage<string> = new AsyncLocalStorage();

/** The records of one observed run. */
export interface Watched {
  readonly run: ObservedRun;
  /** Everything in order, as text: `opened by alice`, `prompt hello by alice`, `message assistant`, `event ready`, … */
  readonly story: string[];
  readonly prompts: ObservedPrompt[];
  readonly messages: ObservedMessage[];
  readonly events: RunEvent[];
  readonly ends: ObservedTurnEnd[];
}

/** An observer that records everything, by run. */
export function recordingObserver(variables: Readonly<Record<string, string>> = {}): RunObserver & {
  readonly runs: Watched[];
} {
  const runs: Watched[] = [];
  return {
    runs,
    opened(run) {
      const watched: Watched = { run, story: [], prompts: [], messages: [], events: [], ends: [] };
      const note = (words: string): void => void watched.story.push(words);
      runs.push(watched);
      note(`opened by ${caller.getStore()}`);
      return {
        environment: () => variables,
        prompt: (prompt) => {
          watched.prompts.push(prompt);
          note(`${prompt.steers ? 'addition' : 'prompt'} ${String(prompt.content)} by ${caller.getStore()}`);
        },
        message: (message) => {
          watched.messages.push(message);
          note(`message ${message.message.type}`);
        },
        event: (event) => {
          watched.events.push(event);
          note(`event ${event.type}`);
        },
        turnEnded: (end) => {
          watched.ends.push(end);
          note(`turn ended: ${end.outcome ?? end.error?.code}`);
        },
      };
    },
  };
}
