import { join } from 'node:path';
import { type AgentOptions, allow, deny, outcomeOf, query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { apiError, type Reply, text, toolUse, until } from '../../src/index.ts';
import { startedSession } from '../started-session.ts';

/** The options and the project folder of a scene. */
export interface Place {
  readonly options: Pick<AgentOptions, 'transport' | 'cwd' | 'env' | 'inheritEnv'>;
  readonly cwd: string;
}

/** A run that is recorded from the real CLI, and the host's view of it. */
export interface Scene {
  /** The answers of the model per request; the last answer serves all further requests. */
  readonly api: (cwd: string) => readonly Reply[];
  readonly play: (place: Place) => Promise<object>;
}

const FOREVER = until(new Promise(() => {}));

/** The scenes by the names of their cassettes. */
export const scenes = {
  'plain-query': {
    api: () => [text('Hello there.')],
    async play({ options }) {
      const stream = query('Say hello.', options);
      const { messages, warnings, terminalError } = await stream.collect();
      return { types: messages.map(({ type }) => type), text: await stream.text(), warnings, terminalError };
    },
  },
  'two-turns': {
    api: () => [text('I will remember.'), text('Ariel.')],
    async play({ options }) {
      await using session = await startedSession(options);
      const answers = [];
      for (const prompt of ['The boat is called Ariel.', 'What is she called?']) {
        answers.push(await session.send(prompt).text());
      }
      const { exitCode, ended } = await session.close();
      return { answers, exitCode, ended };
    },
  },
  callbacks: {
    api: (cwd) => [
      toolUse('Bash', { command: 'rm -rf build' }, { id: 'toolu_bash' }),
      toolUse('Write', { file_path: join(cwd, 'notes.txt'), content: 'two oars' }, { id: 'toolu_write' }),
      toolUse('mcp__host__add', { a: 2, b: 3 }, { id: 'toolu_add' }),
      text('Noted, and the sum is 5.'),
    ],
    async play({ options, cwd }) {
      const calls: string[] = [];
      const add = tool('add', 'Adds two numbers.', { type: 'object' }, (input) => {
        calls.push(`tool ${JSON.stringify(input)}`);
        return '5';
      });
      const stream = query('Do three things.', {
        ...options,
        hooks: {
          PreToolUse: ({ tool_name, cwd: folder }) => {
            calls.push(`hook ${tool_name} ${folder === cwd ? 'in the project' : folder}`);
            return tool_name === 'Bash' ? deny('Nothing is removed here.') : {};
          },
        },
        canUseTool: ({ toolName, input }) => {
          calls.push(`asked ${toolName} ${String('file_path' in input && input.file_path).replace(cwd, '.')}`);
          return allow();
        },
        mcpServers: { host: toolServer({ name: 'host', tools: [add] }) },
      });
      const answer = await stream.text();
      await stream.closed;
      return { calls, text: answer };
    },
  },
  interrupt: {
    api: () => [
      [text('first answer, at length. '.repeat(40), { chunkSize: 20, everyMs: 30 }), FOREVER],
      text('Second.'),
    ],
    async play({ options }) {
      await using session = await startedSession({ ...options, includePartialMessages: true });
      const turn = session.send('Speak at length.');
      for await (const message of turn) {
        if (message.type !== 'stream_event' || message.event.type !== 'content_block_delta') continue;
        await turn.interrupt();
        break;
      }
      const { kind } = outcomeOf(await turn.result());
      return { outcome: kind, next: await session.send('And now?').text() };
    },
  },
  'error-result': {
    api: () => [apiError(400, { message: 'the boat is full' })],
    async play({ options }) {
      const { messages, terminalError } = await query('Say hello.', options).collect();
      const result = messages.find((message) => message.type === 'result');
      return { outcome: result && outcomeOf(result), terminalError };
    },
  },
} as const satisfies Record<string, Scene>;
