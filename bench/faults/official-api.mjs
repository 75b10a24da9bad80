import { Prompts } from '../contenders/prompts.mjs';
import { officialOptions } from './official-options.mjs';

/** Plays the battery on an SDK with the API of the official one; `prepare` receives the options first. */
export function playedOn(sdk, prepare = () => {}) {
  const prepared = ({ options, ...scenario }) => ({
    ...scenario,
    options: (world) => {
      const given = options(world);
      prepare(given);
      return given;
    },
  });
  return {
    runQuery: (scenario) => runQuery(sdk, prepared(scenario)),
    runSession: (scenario) => runSession(sdk, prepared(scenario)),
    classOf: (error) => classOf(sdk, error),
  };
}

/** Its `query()` with a text, to its end. */
async function runQuery(sdk, { prompt, options, world }) {
  const given = options(world);
  const abort = abortOf(given);
  const stop = limit(given, [() => abort.abort()]);
  const outcome = await outcomeOf(async (seen) => {
    const messages = sdk.query({ prompt, options: { ...officialOptions(sdk, given), abortController: abort } });
    for await (const message of messages) note(message, seen, stop);
  }, stop);
  return { ...outcome, timed: stop.reached() };
}

/** Its `query()` with a stream of prompts: one turn, and another one if the session is still usable. */
async function runSession(sdk, { prompt, options, world, during }) {
  const prompts = new Prompts();
  let messages;
  world.session = () => facade(messages);
  const given = options(world);
  const abort = abortOf(given);
  // A user who limits a turn interrupts it, and gives up shortly after.
  const stop = limit(given, [() => messages.interrupt().catch(() => {}), () => abort.abort()]);
  let goesOn = false;
  const outcome = await outcomeOf(async (seen) => {
    messages = sdk.query({ prompt: prompts, options: { ...officialOptions(sdk, given), abortController: abort } });
    const beside = during?.(world.session(), world.notes);
    prompts.send(prompt);
    await readTurn(messages, (message) => note(message, seen, stop));
    await beside;
  }, stop);
  const timed = stop.reached();
  if (outcome.result !== undefined && outcome.error === undefined) {
    const last = await outcomeOf(async (seen) => {
      prompts.send('again');
      await readTurn(messages, (message) => note(message, seen, stop));
    }, stop);
    goesOn = last.result?.result === 'still here';
  }
  prompts.end();
  messages?.close();
  return { ...outcome, goesOn, timed };
}

/** The class of an error, by the name it is exported with. */
function classOf(sdk, error) {
  return error instanceof sdk.AbortError ? 'AbortError' : (error?.constructor?.name ?? typeof error);
}

async function readTurn(messages, each) {
  for (;;) {
    const { value, done } = await messages.next();
    if (done) return;
    each(value);
    if (value.type === 'result') return;
  }
}

async function outcomeOf(run, stop) {
  const seen = { error: undefined, result: undefined, messages: 0, reports: [] };
  try {
    await run(seen);
  } catch (error) {
    seen.error = error ?? new Error('nothing was thrown');
  } finally {
    stop.clear();
  }
  return seen;
}

function note(message, seen, stop) {
  stop.renew();
  seen.messages += 1;
  if (message.type === 'result') seen.result = message;
}

function abortOf({ signal }) {
  const abort = new AbortController();
  if (signal?.aborted) abort.abort(signal.reason);
  return abort;
}

/** The timers with which a user of the official SDK replaces `timeoutMs` and `idleTimeoutMs`, step by step. */
function limit({ timeoutMs, idleTimeoutMs }, measures) {
  let timer;
  let reached = false;
  const set = (ms, [measure, ...others]) => {
    clearTimeout(timer);
    if (ms === undefined || measure === undefined) return;
    timer = setTimeout(() => {
      reached = true;
      measure();
      set(1_000, others);
    }, ms);
  };
  set(timeoutMs ?? idleTimeoutMs, measures);
  return {
    renew: () => {
      if (timeoutMs === undefined) set(idleTimeoutMs, measures);
    },
    clear: () => clearTimeout(timer),
    reached: () => reached,
  };
}

/** The methods of a Coxswain session that scenarios call, mapped to their counterparts. */
function facade(messages) {
  return {
    state: 'running',
    setMaxThinkingTokens: (tokens) => messages.setMaxThinkingTokens(tokens),
    mcpStatus: () => messages.mcpServerStatus(),
    interrupt: () => messages.interrupt(),
  };
}
