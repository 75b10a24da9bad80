import { allow, openSession, query } from 'coxswain';

/** `query()`; with hooks or permissions it is a session of one turn underneath. */
export async function oneShot(job, each) {
  for await (const message of stream(job)) each(message);
}

/** The stream of `query()` itself. */
export function stream(job) {
  return query('go', optionsOf(job));
}

/** The messages of a turn of a session. */
export async function* turnStream(job) {
  const live = openSession(optionsOf(job));
  yield* live.send('go');
  await live.close();
}

/** One prompt over a session. */
export async function session(job, each) {
  const live = await open(job);
  await live.turn(each);
  await live.stop();
}

/** A session, once it is ready. */
export async function open(job) {
  const live = openSession(optionsOf(job));
  await live.ready;
  return {
    turn: async (each) => {
      for await (const message of live.send('go')) each(message);
    },
    stop: () => live.close(),
  };
}

function optionsOf({ cli, env, asked, partial, maxLineBytes, checkVersion, observers }) {
  const hook = () => {
    asked();
  };
  const canUseTool = () => {
    asked();
    return allow();
  };
  return {
    cli,
    env,
    ...(observers && { observers }),
    ...(!checkVersion && { versionCheck: 'off' }),
    ...(partial && { includePartialMessages: true }),
    ...(maxLineBytes !== undefined && { limits: { maxLineBytes } }),
    ...(asked && env.STUB_HOOKS && { hooks: { PreToolUse: hook } }),
    ...(asked && env.STUB_PERMISSIONS && { canUseTool }),
  };
}
