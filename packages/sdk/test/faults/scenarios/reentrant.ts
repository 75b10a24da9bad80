import { allow, deny } from '../../../src/callbacks/decisions.ts';
import type { Scenario } from '../scenario.ts';
import { guard, ran, refused, writes } from './callbacks.ts';

/** Callbacks that call methods of their own session. */
export const reentrant: readonly Scenario[] = [
  {
    id: 'hook-stops-the-session',
    proves: ['S-9', 'E-4'],
    what: 'a guard stops its session and waits until it has ended',
    agent: writes,
    options: guard(async ({ session, notes }) => {
      await session().close();
      notes.push('stopped');
      return allow();
    }),
    session: {
      outcome: 'session-stopped',
      state: 'stopped',
      warnings: ['hook-failed', 'permission-denied'],
      notes: ['stopped'],
      got: ({ tools }) => {
        if (tools.some(({ outcome }) => outcome === 'ran')) throw new Error('The tool ran');
      },
    },
  },
  {
    id: 'hook-interrupts-the-turn',
    proves: ['S-3', 'H-6'],
    what: 'a guard interrupts its own turn',
    agent: writes,
    options: guard(async ({ session, notes }) => {
      await session().interrupt();
      notes.push('interrupted');
      return deny('no');
    }),
    session: { outcome: 'outcome:interrupted', notes: ['interrupted'] },
  },
  {
    id: 'hook-changes-the-session',
    proves: ['X-1', 'E-4'],
    what: 'a guard waits for control requests of its own session',
    agent: writes,
    options: guard(async ({ session, notes }) => {
      await session().setMaxThinkingTokens(1_000);
      await session().mcpStatus();
      notes.push(session().state);
      return allow();
    }),
    session: { outcome: 'completed', text: 'ok', notes: ['running'], ...ran },
  },
  {
    id: 'hook-sends-a-prompt-and-waits',
    proves: ['H-6', 'S-3'],
    what: 'a guard waits for another turn, which waits for this one',
    agent: writes,
    options: guard(async ({ session }) => {
      await session().send('again').text();
      return allow();
    }),
    session: { outcome: 'completed', text: 'ok', warnings: ['hook-failed', 'permission-denied'], ...refused },
  },
  {
    id: 'event-handler-stops-the-session',
    proves: ['S-9', 'E-4'],
    what: 'onEvent stops the session in the middle of a turn',
    agent: writes,
    options: (world) => ({
      canUseTool: () => allow(),
      onEvent: ({ type }) => {
        if (type === 'turn-started') void world.session().close();
      },
    }),
    session: { outcome: 'session-stopped', state: 'stopped' },
  },
  {
    id: 'event-handler-sends-prompts',
    proves: ['S-3', 'S-11'],
    what: 'onEvent sends prompts up to the limit of waiting turns',
    agent: (agent) => agent,
    options: (world) => {
      let sent = false;
      return {
        limits: { maxWaitingTurns: 2 },
        onEvent: ({ type }) => {
          if (type !== 'turn-started' || sent) return;
          sent = true;
          for (let n = 0; n < 4; n += 1) {
            const turn = world.session().send(`more ${n}`);
            turn.text().catch((error: { code: string }) => world.notes.push(error.code));
          }
        },
      };
    },
    session: { outcome: 'completed', text: 'ok', notes: ['turn-queue-full', 'turn-queue-full'], state: 'running' },
  },
  {
    id: 'stop-from-everywhere',
    proves: ['S-9'],
    what: 'ten stops are requested at once in the middle of a turn',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.say('half').silence()),
    options: {},
    during: async (session) => {
      await session.ready;
      for await (const event of session.events()) if ('type' in event && event.type === 'turn-started') break;
      const reports = await Promise.all(Array.from({ length: 10 }, () => session.close()));
      if (new Set(reports).size !== 1) throw new Error('The reports differ');
    },
    session: { outcome: 'session-stopped', state: 'stopped' },
  },
];
