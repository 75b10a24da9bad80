import type { HookResult, Hooks } from 'coxswain';

/** The input of a hook of any event, as the CLI sent it. */
export interface Input extends Readonly<Record<string, unknown>> {
  readonly hook_event_name: string;
}

/** The answer of a hook from now on. */
export type Act = (input: Input) => HookResult | Promise<HookResult>;

/** Hooks whose answers a test sets between the turns of one session, and the inputs they received. */
export interface Hooked {
  readonly hooks: Hooks;
  /** Forgets earlier inputs; the hooks answer as given, the others return nothing. */
  answer(acts: Readonly<Record<string, Act>>): void;
  /** The inputs of an event since the last `answer`. */
  inputs(event: string): readonly Input[];
}

/** A hook for each of some events. */
export function hooked(...events: readonly string[]): Hooked {
  let current: Readonly<Record<string, Act>> = {};
  let seen: Input[] = [];
  const run = (input: Input): HookResult | Promise<HookResult> => {
    seen.push(input);
    return current[input.hook_event_name]?.(input);
  };
  return {
    hooks: Object.fromEntries(events.map((event) => [event, run])),
    answer(acts) {
      current = acts;
      seen = [];
    },
    inputs: (event) => seen.filter((input) => input.hook_event_name === event),
  };
}
