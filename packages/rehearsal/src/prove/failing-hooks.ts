import type { Hook, Hooks } from 'coxswain';

/** The same hooks, each of which fails: it throws, or does not answer in time. */
export function failingHooks(hooks: Hooks, how: 'throws' | 'hangs'): Hooks {
  const failing = Object.entries(hooks).map(([event, list]) => {
    const all = (Array.isArray(list) ? list : [list]) as readonly (Hook<unknown> | (() => unknown))[];
    return [event, all.map((hook) => ({ ...(typeof hook === 'function' ? {} : hook), ...FAILURES[how] }))];
  });
  return Object.fromEntries(failing);
}

const FAILURES: Readonly<Record<'throws' | 'hangs', Pick<Hook<unknown>, 'run' | 'timeoutMs'>>> = {
  throws: {
    run() {
      throw new Error('A rehearsed failure of a hook.');
    },
  },
  hangs: { run: () => new Promise(() => {}), timeoutMs: 500 },
};
