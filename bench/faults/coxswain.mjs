import { openSession, query } from 'coxswain';

/** One query to its end, as its user sees it. */
export async function runQuery({ prompt, options, world }) {
  const told = [];
  const stream = query(prompt, watched(options(world), told));
  const collected = await stream.collect();
  await stream.closed;
  return seen(collected, stream.results.at(-1), told);
}

/** One turn of a session, and another one if the session is still usable. */
export async function runSession({ prompt, options, world, during }) {
  const told = [];
  const session = openSession(watched(options(world), told));
  world.session = () => session;
  const beside = during?.(session, world.notes);
  const turn = session.send(prompt);
  const collected = await turn.collect();
  await beside;
  await session.ready.catch(() => {});
  const again = await session
    .send('again')
    .text()
    .catch(() => undefined);
  await session.close();
  return { ...seen(collected, turn.results.at(-1), told), goesOn: again === 'still here' };
}

/** The class of an error. */
export function classOf(error) {
  return error.constructor.name;
}

function watched(options, told) {
  return {
    ...options,
    onWarning: (warning) => {
      told.push(warning.code);
      return options.onWarning?.(warning);
    },
  };
}

function seen({ items, errors, terminalError }, result, told) {
  return {
    error: terminalError,
    result,
    messages: items.filter(({ kind }) => kind === 'message').length,
    told: [...errors.map(({ code }) => code), ...told],
  };
}
