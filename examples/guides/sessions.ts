import { createClient, openSession, outcomeOf, textDeltaOf, toolUsesOf } from 'coxswain';
import type { RunObserver } from 'coxswain/observe';
import { z } from 'zod';

// #region start
await using session = openSession({ model: 'sonnet', includePartialMessages: true });
console.log(await session.send('Read package.json. Which scripts are there?').text());
console.log(await session.send('Which of them do you need to run the tests?').text()); // remembers the first turn
// #endregion

{
  // #region queue
  const first = session.send('Write the tests.');
  const second = session.send('Now run them.'); // waits until the first turn has ended
  for await (const message of first) process.stdout.write(textDeltaOf(message));
  console.log(outcomeOf(await second.result()).kind);
  // #endregion
}

{
  // #region turn-options
  const turn = session.send('Plan the migration.', {
    model: 'opus',
    permissionMode: 'plan',
    thinking: { type: 'enabled', budgetTokens: 8_000 },
    timeoutMs: 10 * 60_000,
  });
  console.log(await turn.text());
  // #endregion
}

{
  // #region turn-process
  await using restarting = openSession({ restart: true });
  const survey = restarting.send('List the open TODOs.', {
    outputSchema: z.object({ todos: z.array(z.string()) }),
    maxBudgetUsd: 0.2, // the turn ends when it is exceeded
    allowedTools: ['Grep'],
  });
  for (const todo of (await survey.output()).todos) console.log(todo);
  console.log(await restarting.send('Do the first one.').text()); // with the options of the session again
  // #endregion
}

{
  // #region steer
  const turn = session.send('Run all tests and fix what fails.');
  for await (const message of turn) {
    if (toolUsesOf(message).length > 0) {
      // After a tool call, the turn always continues.
      await turn.steer('Leave the slow ones out.'); // joins the running turn
      break; // stops reading; the turn continues
    }
  }
  console.log(await turn.text());
  // #endregion
}

{
  // #region interrupt
  const turn = session.send('Count slowly to a million.');
  for await (const message of turn) if (textDeltaOf(message) !== '') break; // the answer has started
  await turn.interrupt();
  console.log(outcomeOf(await turn.result()).kind); // interrupted
  console.log(await session.send('Continue with something else.').text()); // the session still works
  // #endregion
}

{
  const log: string[] = [];
  // #region observe
  await using watched = openSession({
    onEvent: (event) => log.push(JSON.stringify(event)), // plain JSON, starting with the first event
  });
  const messages = watched.messages(); // everything from now on
  const watching = (async () => {
    for await (const item of messages) {
      if (item.kind === 'gap') console.warn(`missed ${item.dropped} messages`);
      else if (item.turn === null && item.message.type === 'assistant') console.log('no turn:', item.rawJson);
    }
  })();
  console.log(await watched.send('Start the slow tests in the background.').text());
  await watched.idle(); // no turn is running or queued, and no background task is open
  await watched.close();
  await watching; // an observer ends with its session
  // #endregion
  console.log(log.map((event) => JSON.parse(event).type).at(-1));
}

{
  // #region observer
  const slowest: RunObserver = {
    opened(run) {
      const sentAt = new Map<string, number>();
      return {
        prompt: ({ turn, at, steers }) => void (steers || sentAt.set(turn, at)),
        turnEnded({ turn, outcome, error, cost }) {
          const ms = Date.now() - (sentAt.get(turn) ?? Date.now());
          if (ms > 60_000) console.warn(run.kind, outcome ?? error?.code, `${ms} ms, $${cost.costUsd}`);
        },
      };
    },
  };
  const client = createClient({ observers: [slowest] }); // every query, session and pool of the client
  // #endregion
  console.log(await client.query('Is anything slow?').text());
}

{
  // #region resume
  const { id } = session; // known from the start; store it
  await session.close();

  await using again = openSession({ resume: id });
  console.log(await again.send('Where were we?').text());

  await using copy = await again.fork(); // the same history under a new id; `again` is unchanged
  console.log(copy.id !== again.id);

  await again.clear(); // starts an empty conversation under a new id
  console.log(again.id !== id);
  // #endregion
}
