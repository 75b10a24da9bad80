import { type Script, script } from '@coxswain/testkit';
import { type AgentOptions, deny, openSession, query } from 'coxswain';

/** The agent for repeated runs. */
export function soakScript(): Script {
  return script()
    .onPrompt('shell', (turn) => turn.useTool('Bash', { command: 'ls' }).say('Asked.'))
    .onPrompt('crash', (turn) => turn.say('Rocks ahead').crash())
    .onPrompt('leave', (turn) => turn.say('Bye').exit(3))
    .onPrompt('overloaded', (turn) => turn.apiError(529))
    .onPrompt('garbage', (turn) => turn.line('no JSON').say('Sorry.'))
    .onPrompt('flood', (turn) => turn.flood(500).say('Done.'))
    .onPrompt('slowly', (turn) => turn.say('one two three four five six seven eight nine ten', { everyMs: 10 }))
    .onPrompt('for ever', (turn) => turn.say('one two three', { everyMs: 2 }).silence())
    .otherwise((turn) => turn.say('Aye.'));
}

/** One query; each ends in another of the usual ways. */
export async function oneQuery(options: AgentOptions, number: number): Promise<void> {
  const way = number % 6;
  if (way === 0) {
    for await (const message of query('hello', options)) if (message.type === 'system') break;
    return;
  }
  if (way === 1) {
    const abort = new AbortController();
    const stream = query('row for ever', { ...options, signal: abort.signal });
    await stream.started;
    abort.abort();
    await stream.collect();
    await stream.closed;
    return;
  }
  if (way === 2) {
    const stream = query('crash', options);
    await stream.collect();
    await stream.closed;
    return;
  }
  if (way === 3) {
    const stream = query('use the shell', { ...options, hooks: { PreToolUse: { run: () => deny('not here') } } });
    await stream.text();
    await stream.close();
    return;
  }
  const stream = query(way === 4 ? 'flood' : 'hello', options);
  await stream.collect();
  await stream.closed;
}

/** One session of two turns; some are killed, some are stopped in the middle of a turn. */
export async function oneSession(options: AgentOptions, number: number): Promise<void> {
  const session = openSession({ ...options, hooks: { PreToolUse: { run: () => deny('not here') } } });
  await session.ready;
  const observed = (async () => {
    for await (const _ of session.messages()) if (session.state === 'stopped') break;
  })();
  await session.send('use the shell').text();
  const way = number % 4;
  const second = session.send(way === 0 ? 'crash' : way === 1 ? 'row for ever' : 'hello').collect();
  if (way === 2) await session.setModel('haiku');
  if (way > 1) await second;
  await session.close();
  await second;
  await observed;
}

/** One query of the real CLI that runs a tool. */
export async function realQuery(options: AgentOptions): Promise<void> {
  const stream = query('use the shell', options);
  await stream.text();
  await stream.closed;
}

/** One session with the real CLI: two turns, a tool that a hook denies, and the end. */
export async function realSession(options: AgentOptions): Promise<void> {
  const session = openSession({ ...options, hooks: { PreToolUse: { run: () => deny('not here') } } });
  await session.ready;
  await session.send('hello').text();
  await session.send('use the shell').text();
  await session.close();
}
