// Bare Node doing what every session must do: a separate process group and ids, `for await` over the messages, and a
// graceful end with a time limit that leaves no process. Nothing is checked, reported or limited.
import { readFileSync } from 'node:fs';
import { parsed, start } from './bare.mjs';

const ARGS = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--replay-user-messages'];
const STOP_MS = 5_000;

/** A session after its handshake. */
export async function open({ cli, env }) {
  const answers = new Map();
  let messages = new Pulled();
  const { child, exited } = start(
    cli,
    [...ARGS, '--session-id', crypto.randomUUID()],
    env,
    parsed((message) => {
      if (message.type === 'control_response') answers.get(message.response.request_id)?.();
      else messages.push(message);
      if (message.type === 'result') messages.end();
    }),
    { detached: true },
  );
  const send = (frame) => child.stdin.write(`${JSON.stringify(frame)}\n`);
  const ask = (subtype) => {
    const id = `req_${answers.size + 1}`;
    const answered = new Promise((resolve) => answers.set(id, resolve));
    send({ type: 'control_request', request_id: id, request: { subtype } });
    return Promise.race([answered, exited]);
  };
  await ask('initialize');
  return {
    turn: async (each) => {
      messages = new Pulled();
      send({ type: 'user', message: { role: 'user', content: 'go' }, uuid: crypto.randomUUID() });
      for await (const message of messages) each(message);
    },
    stop: async () => {
      const left = childrenOf(child.pid);
      await ask('end_session');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(late);
      for (const pid of [-child.pid, ...left]) kill(pid);
    },
  };
}

/** The messages of a turn, for one reader. */
class Pulled {
  #messages = [];
  #taken = 0;
  #wake;
  #over = false;

  push(message) {
    this.#messages.push(message);
    if (this.#wake) this.#resume();
  }

  end() {
    this.#over = true;
    if (this.#wake) this.#resume();
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    const message = this.#messages[this.#taken];
    if (message === undefined) return this.#wait();
    this.#taken++;
    return Promise.resolve({ value: message, done: false });
  }

  async #wait() {
    this.#messages.length = 0;
    this.#taken = 0;
    if (this.#over) return { value: undefined, done: true };
    await new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.next();
  }

  #resume() {
    const wake = this.#wake;
    this.#wake = undefined;
    wake();
  }
}

function childrenOf(pid) {
  if (process.platform !== 'linux') return [];
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // No process remains, as expected.
  }
}
