import { Prompts } from './prompts.mjs';

/** The contender for an SDK: the official one, or one with the same functions. */
export function contenderOn(sdk) {
  const stream = (job) => sdk.query({ prompt: 'go', options: optionsOf(job) });
  return {
    /** The stream of `query()` itself. */
    stream,
    /** Its `query()` with a string prompt. */
    oneShot: async (job, each) => {
      for await (const message of stream(job)) each(message);
    },
    /** Its `query()` with a stream of prompts, once it has listed its commands. */
    open: (job) => opened(sdk, job),
  };
}

async function opened(sdk, job) {
  const prompts = new Prompts();
  const messages = sdk.query({ prompt: prompts, options: optionsOf(job) });
  await messages.supportedCommands();
  return {
    turn: async (each) => {
      prompts.send('go');
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
