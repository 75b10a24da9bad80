import { describe, expect, it } from 'vitest';
import { AT_ONCE, start as restarting } from '../restart/stage.ts';
import { start } from '../support/fake-cli.ts';

describe('the state of a turn', () => {
  it.each([
    ['a session', () => start()],
    [
      'a restarting session',
      async () => {
        const { session, cli1 } = await restarting();
        return { session, cli: cli1 };
      },
    ],
  ])(
    '[S-3] of %s is queued, running, then finished, cancelled or failed; the session lists the waiting turns',
    async (_, open) => {
      const { session, cli } = await open();
      const stop = new AbortController();
      const first = session.send('one');
      const withdrawn = session.send('two');
      const aborted = session.send([{ type: 'text', text: 'three' }], { signal: stop.signal });
      const last = session.send('four');
      const refused = session.send('');
      const prompt = await cli.got('prompt one');
      expect([first, withdrawn, last].map(({ state }) => state)).toEqual(['running', 'queued', 'queued']);
      expect(session.waitingTurns()).toEqual([withdrawn, aborted, last]);
      expect(session.waitingTurns().map((turn) => turn.prompt)).toEqual([
        'two',
        [{ type: 'text', text: 'three' }],
        'four',
      ]);
      await expect(refused.result()).rejects.toMatchObject({ code: 'options' });
      expect(refused.state).toBe('failed');

      const [next] = session.waitingTurns();
      await next?.interrupt();
      stop.abort();
      await expect(withdrawn.result()).rejects.toMatchObject({ code: 'turn-cancelled' });
      await expect(aborted.result()).rejects.toMatchObject({ code: 'abort' });
      expect([withdrawn.state, aborted.state]).toEqual(['cancelled', 'cancelled']);
      expect(session.waitingTurns()).toEqual([last]);

      cli.begin(prompt);
      cli.finish(prompt, 'no', { subtype: 'error_during_execution', is_error: true, errors: ['no'] });
      await first.result();
      expect(first.state).toBe('finished');
      await cli.got('prompt four');
      expect(last.state).toBe('running');
      expect(session.waitingTurns()).toEqual([]);
      await session.close();
      await expect(last.result()).rejects.toThrow();
      expect(last.state).toBe('failed');
    },
  );

  it('[S-3, A-2] is queued again if the CLI has died and the prompt is resent', async () => {
    const { session, cli, cli1, events } = await restarting({}, { ...AT_ONCE, delayMs: 20, replay: () => true });
    const turn = session.send('one');
    const states: string[] = [];
    session.observe({
      opened: () => ({ event: ({ type }) => void (type === 'restarting' && states.push(turn.state)) }),
    });
    cli1.begin(await cli1.got('prompt one'));
    expect(turn.state).toBe('running');
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    const again = await cli2.got('prompt one');
    expect(turn.state).toBe('running');
    cli2.reply(again);
    await turn.result();
    expect([...states, turn.state]).toEqual(['queued', 'finished']);
    expect(events.some(({ type }) => type === 'turn-interrupted')).toBe(true);
  });
});
