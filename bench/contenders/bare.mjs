// The limit: spawn, split, `JSON.parse`, and nothing else.
import { spawn } from 'node:child_process';

/** A one-shot run; `each` receives every message. */
export function oneShot({ cli, env }, each) {
  const { child, exited } = start(cli, ['--print'], env, parsed(each));
  child.stdin.end('go');
  return exited;
}

/** The messages of a one-shot run, pulled by a reader: the pipe waits for the reader. */
export async function* stream({ cli, env }) {
  const child = spawn(cli, ['--print'], { env: { ...process.env, ...env } });
  child.stderr.resume();
  child.stdin.end('go');
  const lines = [];
  const split = splitter((line) => lines.push(line));
  for await (const text of child.stdout.setEncoding('utf8')) {
    split(text);
    for (const line of lines.splice(0)) yield JSON.parse(line);
  }
}

/** Like `oneShot`, with a bare `for await`: the minimal cost of an iterator. */
export async function pulled(job, each) {
  for await (const message of new PulledMessages(job)) each(message);
}

class PulledMessages {
  #lines = [];
  #taken = 0;
  #wake = () => {};
  #over = false;

  constructor({ cli, env }) {
    const split = splitter((line) => this.#lines.push(line));
    const { child, exited } = start(cli, ['--print'], env, split);
    child.stdout.on('data', () => this.#wake());
    child.stdin.end('go');
    const over = () => {
      this.#over = true;
      this.#wake();
    };
    exited.then(over, over);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    const line = this.#lines[this.#taken];
    if (line === undefined) return this.#wait();
    this.#taken++;
    return Promise.resolve({ value: JSON.parse(line), done: false });
  }

  async #wait() {
    this.#lines.length = 0;
    this.#taken = 0;
    if (this.#over) return { value: undefined, done: true };
    await new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.next();
  }
}

/** One prompt in a session, hooks and permissions answered in the data handler. */
export async function session(job, each) {
  const live = await open(job);
  await live.turn(each);
  await live.stop();
}

/** A session after its handshake. */
export function open({ cli, env, asked }) {
  return new Promise((ready, fail) => {
    let each = () => {};
    let turnOver = () => {};
    const { child, exited } = start(
      cli,
      ['--input-format', 'stream-json'],
      env,
      parsed((message) => {
        if (message.type === 'control_request') {
          asked?.();
          send({ type: 'control_response', response: answerTo(message) });
        } else if (message.type === 'control_response') ready({ turn, stop });
        else {
          each(message);
          if (message.type === 'result') turnOver();
        }
      }),
    );
    exited.catch(fail);
    const send = (frame) => child.stdin.write(`${JSON.stringify(frame)}\n`);
    const turn = (handler) => {
      each = handler;
      const over = new Promise((resolve) => {
        turnOver = resolve;
      });
      send({ type: 'user', message: { role: 'user', content: 'go' } });
      return over;
    };
    const stop = () => {
      child.stdin.end();
      return exited;
    };
    send({ type: 'control_request', request_id: 'req_1', request: { subtype: 'initialize' } });
  });
}

/** Calls `onLine` for each line of a text that arrives in pieces; a long line is joined once, not at each piece. */
function splitter(onLine) {
  let rest = '';
  return (text) => {
    let end = text.indexOf('\n');
    if (end === -1) {
      rest += text;
      return;
    }
    onLine(rest + text.slice(0, end));
    let from = end + 1;
    for (end = text.indexOf('\n', from); end !== -1; end = text.indexOf('\n', from)) {
      onLine(text.slice(from, end));
      from = end + 1;
    }
    rest = text.slice(from);
  };
}

/** Splits a text that arrives in pieces and parses each line. */
export function parsed(each) {
  return splitter((line) => each(JSON.parse(line)));
}

/** Starts the CLI; `exited` resolves when it has exited. */
export function start(cli, args, env, take, options = {}) {
  const child = spawn(cli, args, { env: { ...process.env, ...env }, ...options });
  child.stderr.resume();
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', take);
  const exited = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.stdin.on('error', reject);
    child.on('close', () => resolve());
  });
  return { child, exited };
}

function answerTo({ request_id, request }) {
  const response =
    request.subtype === 'can_use_tool'
      ? { behavior: 'allow', updatedInput: request.input, toolUseID: request.tool_use_id }
      : {};
  return { subtype: 'success', request_id, response };
}
