import { openSession, query } from 'coxswain';

/** Runs one query until it ends, and returns what its user observes. */
export async function runQuery({ prompt, options, world }) {
  const reports = [];
  const stream = query(prompt, watched(options(world), reports));
  const collected = await stream.collect();
  await stream.closed;
  return seen(collected, stream.results.at(-1), reports);
}

/** One turn of a session, and another one if the session is still usable. */
export async function runSession({ prompt, options, world, during }) {
  const reports = [];
  const session = openSession(watched(options(world), reports));
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
  return { ...seen(collected, turn.results.at(-1), reports), goesOn: again === 'still here' };
}

/** The class of an error. */
export function classOf(error) {
  return error.constructor.name;
}

function watched(options, reports) {
  return {
    ...options,
    onWarning: (warning) => {
      reports.push(warning.code);
      return options.onWarning?.(warning);
    },
  };
}

function seen({ items, errors, terminalError }, result, reports) {
  return {
    error: terminalError,
    result,
    messages: items.filter(({ kind }) => kind === 'message').length,
    reports: [...errors.map(({ code }) => code), ...reports],
  };
}
