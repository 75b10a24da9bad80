// The ways through the core, each played on the in-memory CLI of the testkit while the recorder listens.
import { inMemoryCli, script } from '@coxswain/testkit';
import { createPool, deny, openSession, query } from 'coxswain';
import { openRawSession } from 'coxswain/raw';
import { Gate } from './held-transport.mjs';
import { begin, end, endWithMessage } from './recorder.mjs';

/** @typedef {import('./recorder.mjs').Recording} Recording */
/** @typedef {AsyncIterator<{ readonly type: string }>} Messages */

const PROMPT = /"type":"user"/;
const SECOND_ANSWER = /"text":"Two\."/;

/** The ways that are counted, each from a cause to its effect. */
export const sixWays = {
  'a message in a query': async () => (await queried()).back,
  'a message in a session': async () => (await inSession({})).back,
  'a PreToolUse deny': denied,
  '`close()` of a session': closed,
  'a job of a pool to its first byte': async () => (await pooled()).out,
  'a turn of a restarting session': wholeTurn,
};

/** The ways in the picture: that of a prompt to the CLI, and that of a message to its reader. */
export const fiveWays = {
  query: queried,
  session: () => inSession({}),
  'restarting session': () => inSession({ restart: true }),
  pool: pooled,
  'raw session': raw,
};

/** An agent that answers every prompt with two messages. */
function agent() {
  const gate = new Gate();
  const cli = inMemoryCli(script().otherwise((turn) => turn.say('One.').say('Two.')));
  return { gate, options: { transport: () => gate.around(cli.transport()) } };
}

async function queried() {
  const { gate, options } = agent();
  const held = gate.hold(SECOND_ANSWER);
  // A query without callbacks writes its prompt as plain text.
  const out = untilWrite(gate, /Go/);
  begin();
  const stream = query('Go', options);
  const messages = stream[Symbol.asyncIterator]();
  const back = await secondAnswer(gate, held, messages);
  await rest(messages);
  return { out: await out, back };
}

/** @param {{ readonly restart?: boolean }} extra */
async function inSession(extra) {
  const { gate, options } = agent();
  const session = openSession({ ...options, ...extra });
  await session.send('First').collect();
  const held = gate.hold(SECOND_ANSWER);
  const out = untilWrite(gate, PROMPT);
  begin();
  const messages = session.send('Go')[Symbol.asyncIterator]();
  const back = await secondAnswer(gate, held, messages);
  await session.close();
  return { out: await out, back };
}

async function pooled() {
  const { gate, options } = agent();
  const pool = createPool({ size: 1, defaults: options });
  await pool.submit({ key: 'a', prompt: 'First' }).collect();
  await quiet();
  const held = gate.hold(SECOND_ANSWER);
  const out = untilWrite(gate, PROMPT);
  begin();
  const messages = pool.submit({ key: 'a', prompt: 'Go' })[Symbol.asyncIterator]();
  const back = await secondAnswer(gate, held, messages);
  await pool.close();
  return { out: await out, back };
}

async function raw() {
  const { gate, options } = agent();
  const argv = ['claude', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const session = openRawSession({ argv, env: {}, initialize: {}, transport: options.transport() });
  await session.handshake;
  const messages = session[Symbol.asyncIterator]();
  const held = gate.hold(SECOND_ANSWER);
  const out = untilWrite(gate, PROMPT);
  begin();
  await session.send({ type: 'user', message: { role: 'user', content: 'Go' }, parent_tool_use_id: null });
  const frames = {
    next: async () => {
      const step = await messages.next();
      return step.done ? step : { done: false, value: step.value.message };
    },
  };
  const back = await secondAnswer(gate, held, /** @type {Messages} */ (frames));
  await session.close();
  return { out: await out, back };
}

async function denied() {
  const gate = new Gate();
  const cli = inMemoryCli(script().otherwise((turn) => turn.useTool('Bash', { command: 'rm -rf /' }).say('Denied.')));
  const session = openSession({
    transport: () => gate.around(cli.transport()),
    hooks: { PreToolUse: () => deny('Not here.') },
  });
  const held = gate.hold(/"hook_callback"/);
  const done = session.send('Go').collect();
  await held;
  await quiet();
  const answer = untilWrite(gate, /"control_response"/);
  begin();
  gate.releaseOne();
  const recording = await answer;
  gate.release();
  await done;
  await session.close();
  return recording;
}

async function closed() {
  const { options } = agent();
  const session = openSession(options);
  await session.send('First').collect();
  await quiet();
  begin();
  await session.close();
  return end();
}

async function wholeTurn() {
  const { gate, options } = agent();
  const session = openSession({ ...options, restart: true });
  await session.send('First').collect();
  await quiet();
  const held = gate.hold(/"type":"result"/);
  const written = untilWrite(gate, PROMPT);
  begin();
  const messages = session.send('Go')[Symbol.asyncIterator]();
  const ended = rest(messages);
  const out = await written;
  await held;
  await quiet();
  begin();
  gate.releaseOne();
  await ended;
  const back = endWithMessage();
  await session.close();
  return { calls: [...out.calls, ...back.calls], path: [...out.path, ...back.path] };
}

/**
 * The calls between the line of the second answer, held until a reader waits for it, and its message.
 * @param {Gate} gate
 * @param {Promise<void>} held
 * @param {Messages} messages
 */
async function secondAnswer(gate, held, messages) {
  while ((await messages.next()).value?.type !== 'assistant');
  const next = messages.next();
  await held;
  await quiet();
  begin();
  gate.releaseOne();
  await next;
  const recording = endWithMessage();
  gate.release();
  return recording;
}

/** @param {Messages} messages */
async function rest(messages) {
  for (let step = await messages.next(); !step.done; step = await messages.next());
}

/**
 * Resolves with the calls up to the moment in which a text that matches is written.
 * @param {Gate} gate
 * @param {RegExp} pattern
 * @returns {Promise<Recording>}
 */
function untilWrite(gate, pattern) {
  return new Promise((resolve) => {
    gate.onWrite = (text) => {
      if (!pattern.test(text)) return;
      gate.onWrite = () => {};
      resolve(end());
    };
  });
}

/** Lets earlier promises settle. */
async function quiet() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
