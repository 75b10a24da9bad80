import { officialSdk } from '../peer.mjs';

const sdk = await officialSdk();

/** Its `query()` with a string prompt. */
export async function oneShot(job, each) {
  for await (const message of stream(job)) each(message);
}

/** The stream of `query()` itself. */
export function stream(job) {
  return sdk.query({ prompt: 'go', options: optionsOf(job) });
}

/** Its `query()` with prompts as they come, once it has said which commands there are. */
export async function open(job) {
  const prompts = new Prompts();
  const messages = sdk.query({ prompt: prompts, options: optionsOf(job) });
  await messages.supportedCommands();
  return {
    turn: async (each) => {
      prompts.send();
      for (;;) {
        const { value, done } = await messages.next();
        if (done) throw new Error('the official SDK has ended the session');
        each(value);
        if (value.type === 'result') return;
      }
    },
    stop: async () => {
      prompts.end();
      for await (const _ of messages);
    },
  };
}

/** The prompts of a session: each is given out when it is sent. */
class Prompts {
  #waiting = [];
  #wake = () => {};
  #over = false;

  send() {
    this.#waiting.push({
      type: 'user',
      message: { role: 'user', content: 'go' },
      parent_tool_use_id: null,
      session_id: '',
    });
    this.#wake();
  }

  end() {
    this.#over = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    while (!this.#over || this.#waiting.length > 0) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else
        await new Promise((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

function optionsOf({ cli, env, asked, partial }) {
  const hook = async () => {
    asked();
    return {};
  };
  const canUseTool = async (_tool, input) => {
    asked();
    return { behavior: 'allow', updatedInput: input };
  };
  return {
    pathToClaudeCodeExecutable: cli,
    env: { ...process.env, ...env },
    ...(partial && { includePartialMessages: true }),
    ...(asked && env.STUB_HOOKS && { hooks: { PreToolUse: [{ hooks: [hook] }] } }),
    ...(asked && env.STUB_PERMISSIONS && { canUseTool }),
  };
}
