import { FleetClosedError, openFleet } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import { quick as limits } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

it('a call that waits for a turn or for events rejects with fleet-closed when the handle is closed, as does every later call', async () => {
  const { database, schema } = await testDatabase();
  const fleet = await openFleet({ database, schema, limits });
  const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
  const following = turn.follow();
  const events = fleet.events();
  const waiting = [turn.outcome(), following.next(), events.next()].map((wait) =>
    wait.catch((error: unknown) => error),
  );
  // Each call has queried the database and waits.
  await turn.info();
  await fleet.close();
  for (const wait of waiting) expect(await wait).toBeInstanceOf(FleetClosedError);
  for (const late of [
    turn.info(),
    turn.outcome(),
    turn.follow().next(),
    fleet.stats(),
    fleet.submit({ key: 'ann', prompt: 'two' }),
  ])
    await expect(late).rejects.toMatchObject({ code: 'fleet-closed' });
  expect(() => fleet.events()).toThrow(FleetClosedError);
  await fleet.close();
});
