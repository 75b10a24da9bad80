import { expect, it } from 'vitest';
import { openSession } from '../../src/restart/open-session.ts';
import { FakeCli } from '../support/fake-cli.ts';
import { assistant, INIT } from '../support/say.ts';

it('[S-4, S-9] a message whose observer ends the turn is not delivered to that turn', async () => {
  const cli = new FakeCli();
  const session = openSession({
    transport: () => cli,
    restart: true,
    onEvent: ({ type }) => {
      if (type === 'paused') void session.close();
    },
  });
  await session.ready;
  const turn = session.send('go');
  const collected = turn.collect();
  await cli.got('prompt go');
  const resetsAt = Date.now() / 1_000 + 3_600;
  const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
  for (const frame of [INIT, assistant('one'), limit, assistant('two')]) cli.say(frame);
  const { messages, terminalError } = await collected;
  expect(terminalError).toMatchObject({ name: 'SessionStoppedError' });
  expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant']);
  cli.die();
  await session.closed;
});
