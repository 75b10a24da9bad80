import { strict as assert } from 'node:assert';
import process from 'node:process';
import { script, scriptedCli } from '@coxswain/testkit';
import { allow, createPool, deny, isCoxswainError, openSession, outcomeOf, query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { childTransport } from 'coxswain/transport';
import { z } from 'zod';
import { dyingHost } from './dying-host.mjs';
import { isAlive, waitUntil } from './processes.mjs';

/** What the agent of the scenarios does. */
export const agentScript = script()
  .onPrompt('remember', (turn) => turn.say('Noted.'))
  .onPrompt('shell', (turn) => turn.useTool('Bash', { command: 'rm -rf build' }).say('Asked.'))
  .onPrompt('write', (turn) =>
    turn.useTool('Write', { file_path: '/nowhere/oars', content: 'two' }, { permission: 'ask' }).say('Asked.'),
  )
  .onPrompt('split', (turn) => turn.useTool('mcp__boats__split', { metres: 2000, seconds: 360 }).say('Asked.'))
  .onPrompt('for ever', (turn) => turn.say('one two three', { everyMs: 5 }).silence())
  .onPrompt('flood', (turn) => turn.flood(20_000).say('Done.'))
  .onPrompt('die', (turn) => turn.say('Rocks ahead').crash())
  .otherwise((turn) => turn.say('Aye.'));

/**
 * All scenarios, by name.
 * @param {{ readonly cli: string }} options The options of every scenario.
 * @returns {Record<string, () => Promise<void>>}
 */
export function scenarios(options) {
  return {
    async 'one-shot query'() {
      assert.equal(await query('hello', options).text(), 'Aye.');
    },

    async 'messages of a query, one by one'() {
      const types = [];
      for await (const message of query('hello', options)) types.push(message.type);
      assert.deepEqual([types[0], types.at(-1)], ['system', 'result']);
    },

    async 'session with two turns'() {
      const session = openSession(options);
      assert.equal(await session.send('remember this').text(), 'Noted.');
      assert.equal(await session.send('hello').text(), 'Aye.');
      assert.equal((await session.close()).exitCode, 0);
    },

    async 'hook that denies'() {
      let asked = 0;
      const run = () => {
        asked += 1;
        return deny('not here');
      };
      const hooks = { PreToolUse: { matcher: 'Bash', run } };
      const stream = query('use the shell', { ...options, allowedTools: ['Bash'], hooks });
      assert.match(JSON.stringify(await stream.collect()), /not here/);
      assert.equal(asked, 1);
    },

    async 'permission asked for'() {
      /** @type {string[]} */
      const asked = [];
      const answers = [allow(), deny('no ink')];
      const session = openSession({
        ...options,
        canUseTool: ({ toolName }) => {
          asked.push(toolName);
          return answers.shift() ?? deny('asked too often');
        },
      });
      await session.send('write it').text();
      assert.match(JSON.stringify(await session.send('write it again').collect()), /no ink/);
      assert.deepEqual(asked, ['Write', 'Write']);
      await session.close();
    },

    async 'tool in this process'() {
      const input = z.object({ metres: z.number(), seconds: z.number() });
      const split = tool(
        'split',
        'The pace of 500 m.',
        input,
        ({ metres, seconds }) => `${(seconds / metres) * 500} s`,
      );
      const mcpServers = { boats: toolServer({ name: 'boats', tools: [split] }) };
      const stream = query('what is my split', { ...options, mcpServers, allowedTools: ['mcp__boats__split'] });
      assert.match(JSON.stringify(await stream.collect()), /90 s/);
    },

    async interrupt() {
      const session = openSession({ ...options, includePartialMessages: true });
      const turn = session.send('row for ever');
      for await (const message of turn) if (message.type === 'stream_event') break;
      await turn.interrupt();
      assert.notEqual(outcomeOf(await turn.result()).kind, 'completed');
      assert.equal(await session.send('hello').text(), 'Aye.');
      await session.close();
    },

    async abort() {
      const abort = new AbortController();
      const { watching, pid } = watched();
      const stream = query('row for ever', { ...options, ...watching, signal: abort.signal });
      await assert.rejects(async () => {
        for await (const message of stream) if (message.type === 'assistant') abort.abort();
      }, coded('abort'));
      await stream.closed;
      await waitUntil('the CLI has exited', () => !isAlive(pid()));
    },

    async 'process gone'() {
      const session = openSession(options);
      await assert.rejects(session.send('die').text(), coded('process'));
      assert.equal((await session.closed).signal, 'SIGKILL');
      await assert.rejects(session.send('hello').text(), (error) => isCoxswainError(error));
    },

    async 'CLI not found'() {
      await assert.rejects(query('hello', { cli: '/nowhere/claude' }).text(), coded('cli-not-found'));
    },

    ...Object.fromEntries(
      ['exit', 'throw', 'SIGINT', 'SIGTERM', 'SIGKILL'].map((how) => [
        `host that dies by ${how}`,
        async () => {
          const host = await dyingHost(options.cli, how);
          assert.equal(host.pids.every(isAlive), true);
          assert.deepEqual(await host.die(), host.expected);
          await waitUntil('nothing of it is left', () => !host.pids.some(isAlive), 2_000);
        },
      ]),
    ),

    async 'nothing keeps this process busy'() {
      const listeners = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
      await query('hello', options).text();
      await waitUntil('our listeners are removed', () =>
        ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].every((event, at) => process.listenerCount(event) === listeners[at]),
      );
    },

    async 'restarting session whose CLI dies'() {
      const session = openSession({ ...options, restart: { delayMs: 1 } });
      await assert.rejects(session.send('die').text(), coded('turn-interrupted'));
      assert.equal(await session.send('hello').text(), 'Aye.');
      assert.equal(session.restarts, 1);
      await session.close();
    },

    async 'pool of two'() {
      const pool = createPool({ size: 2, defaults: options });
      const jobs = ['ann', 'bob', 'cid', 'ann'].map((key) => pool.run({ key, prompt: 'hello' }));
      assert.deepEqual(await Promise.all(jobs.map(async (job) => (await job).status)), Array(4).fill('finished'));
      await pool.drain();
    },

    async '20,000 messages to a slow reader'() {
      let count = 0;
      for await (const message of query('flood', options)) {
        count += 1;
        if (message.type === 'assistant' && count % 2_000 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.ok(count >= 20_000, `${count} messages`);
    },

    async 'file that only the child can read'() {
      const text = await printed(
        ['/bin/sh', '-c', 'cat "$0"', 'PATH'],
        [{ argvIndex: 3, name: 'settings.json', content: '{"secret":true}' }],
      );
      assert.equal(text, '{"secret":true}');
    },

    async 'tree that ignores signals'() {
      const transport = childTransport({});
      const program =
        'trap "" INT TERM HUP; setsid sh -c \'trap "" INT TERM HUP; echo $$; while :; do sleep 60; done\' & wait';
      await transport.start({
        argv: ['/bin/sh', '-c', program],
        env: { PATH: '/usr/bin:/bin' },
        cwd: undefined,
        privateFiles: [],
      });
      const { value } = await transport.output[Symbol.asyncIterator]().next();
      const pids = [transport.pid ?? 0, Number(new TextDecoder().decode(value))];
      transport.signal('interrupt');
      transport.signal('terminate');
      assert.equal(pids.every(isAlive), true);
      transport.signal('kill');
      assert.equal((await transport.exited).ended, 'killed');
      await waitUntil('the tree has exited', () => !pids.some(isAlive));
      await transport.destroy?.();
    },

    async 'host exits when it is done'() {
      const host = await dyingHost(options.cli, 'leave');
      assert.deepEqual(await host.die(), host.expected);
      await waitUntil('nothing of it is left', () => !host.pids.some(isAlive), 2_000);
    },

    async 'scripted CLI run by this runtime itself'() {
      const own = await scriptedCli(script().otherwise((turn) => turn.say('Aye.')));
      try {
        assert.equal(await query('hello', { cli: own.path }).text(), 'Aye.');
      } finally {
        await own[Symbol.asyncDispose]();
      }
    },
  };
}

/** Options that record the CLI's pid. */
function watched() {
  /** @type {number | undefined} */
  let pid;
  /** @param {import('coxswain').RunEvent} event */
  const onEvent = (event) => {
    if (event.type === 'started') pid = event.pid ?? undefined;
  };
  return {
    watching: { onEvent },
    pid() {
      assert.ok(pid !== undefined, 'the CLI has not started');
      return pid;
    },
  };
}

/** @param {string} code */
function coded(code) {
  return (/** @type {unknown} */ error) => {
    assert.ok(isCoxswainError(error), `no error of ours: ${error}`);
    assert.equal(error.code, code);
    return true;
  };
}

/**
 * The output of a program.
 * @param {string[]} argv
 * @param {import('coxswain/transport').PrivateFile[]} privateFiles
 */
async function printed(argv, privateFiles) {
  const transport = childTransport({});
  await transport.start({ argv, env: { PATH: '/usr/bin:/bin' }, cwd: undefined, privateFiles });
  let text = '';
  for await (const chunk of transport.output) text += new TextDecoder().decode(chunk);
  await transport.exited;
  await transport.destroy?.();
  return text;
}
