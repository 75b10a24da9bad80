import { expect, it, vi } from 'vitest';
import { defaultSessionLimits } from '../../src/limits.ts';
import { CostLedger } from '../../src/session/cost-ledger.ts';
import { SessionTurn } from '../../src/session/turn.ts';
import { Turns, type TurnsHost } from '../../src/session/turns.ts';
import { currentContext } from '../../src/timing/caller.ts';
import { assistant, INIT } from '../support/say.ts';

it('[S-4, S-9] a message whose observer ends the turn is not handed to it any more', async () => {
  let told = 0;
  const host: TurnsHost = {
    limits: defaultSessionLimits,
    canSend: () => true,
    send: async () => {},
    settings: { apply: async () => {}, lent: false, giveBack: async () => {}, promptWritten: () => {} },
    heldUpWithin: () => false,
    interrupt: async () => {},
    stuck: () => {},
    costs: new CostLedger({ release: undefined, report: { event: () => {} } }, {}),
    observers: {
      message: () => {
        told++;
        if (told === 2) turns.failAll(() => new Error('stopped by an observer'));
      },
    },
    event: () => {},
  };
  const turns = new Turns(host);
  const turn = new SessionTurn<unknown>(
    { id: 'turn-1', content: 'go', options: {}, inContext: currentContext() },
    {
      host: {
        steer: async () => {},
        interruptTurn: async () => ({ stillQueued: [] }),
        warn: () => {},
        redact: (text) => text,
      },
      feed: { bufferBytes: 1e6, backlogBytes: 1e6, pausable: () => false, onDrained: () => {} },
      outputSchema: undefined,
    },
  );
  turns.add(turn);
  await vi.waitFor(() => expect(turn.sent).toBe(true));
  for (const frame of [INIT, assistant('one'), assistant('two')]) {
    const line = JSON.stringify(frame);
    turns.router.route(JSON.parse(line), line, 0);
  }
  const { messages: items, terminalError } = await turn.collect();
  expect(terminalError?.message).toBe('stopped by an observer');
  expect(items.map(({ type }) => type)).toEqual(['system']);
});
