import { openSession, outcomeOf, textDeltas, toolUsesOf } from 'coxswain';

// #region start
await using session = openSession({ model: 'sonnet', includePartialMessages: true });
console.log(await session.send('Read package.json. Which scripts are there?').text());
console.log(await session.send('Which of them do you need to run the tests?').text()); // knows the first turn
// #endregion

{
  // #region queue
  const first = session.send('Write the tests.');
  const second = session.send('Now run them.'); // waits until the first has ended
  for await (const words of textDeltas(first)) process.stdout.write(words);
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
  // #region steer
  const turn = session.send('Run all tests and fix what fails.');
  for await (const message of turn) {
    if (toolUsesOf(message).length > 0) {
      // More is to come after a tool call.
      await turn.steer('Leave the slow ones out.'); // joins the turn that runs
      break; // stops reading; the turn goes on
    }
  }
  console.log(await turn.text());
  // #endregion
}

{
  // #region interrupt
  const turn = session.send('Count slowly to a million.');
  for await (const _ of textDeltas(turn)) break;
  await turn.interrupt();
  console.log(outcomeOf(await turn.result()).kind); // interrupted
  console.log(await session.send('Go on with something else.').text()); // the session is as good as before
  // #endregion
}

{
  const log: string[] = [];
  // #region observe
  await using watched = openSession({
    onEvent: (event) => log.push(JSON.stringify(event)), // plain JSON, from the first moment on
  });
  const messages = watched.messages(); // from this call on
  const watching = (async () => {
    for await (const item of messages) {
      if (item.kind === 'gap') console.warn(`missed ${item.dropped} messages`);
      else if (item.turn === null && item.message.type === 'assistant') console.log('by itself:', item.rawJson);
    }
  })();
  console.log(await watched.send('Start the slow tests in the background.').text());
  await watched.idle(); // no turn runs or waits, and no background task is open
  await watched.close();
  await watching; // an observer ends with its session
  // #endregion
  console.log(log.map((event) => JSON.parse(event).type).at(-1));
}

{
  // #region resume
  const { id } = session; // known from the start; store it
  await session.close();

  await using again = openSession({ resume: id });
  console.log(await again.send('Where were we?').text());

  await using copy = await again.fork(); // the same history under a new id; `again` is not touched
  console.log(copy.id !== again.id);

  await again.clear(); // forgets the conversation: an empty history under a new id
  console.log(again.id !== id);
  // #endregion
}
