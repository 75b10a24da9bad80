// Drives the ACP adapter like an editor: over stdio, with the client library of the protocol.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import { failure, report } from './report.mjs';

const cwd = process.env.DRIVER_PROJECT;
const adapter = spawn(process.execPath, ['node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => adapter.once('exit', (code, signal) => resolve(signal ?? code)));

const updates = [];
const permissions = [];
let answer = 'allow_once';
let onUpdate = () => {};

const app = client({ name: 'driver' })
  .onNotification('session/update', ({ params }) => {
    updates.push(params.update);
    onUpdate(params.update);
  })
  .onRequest('session/request_permission', ({ params }) => {
    permissions.push(params);
    const { optionId } = params.options.find(({ kind }) => kind === answer);
    return { outcome: { outcome: 'selected', optionId } };
  });

const stream = ndJsonStream(Writable.toWeb(adapter.stdin), Readable.toWeb(adapter.stdout));
await app.connectWith(stream, async (agent) => {
  const { agentCapabilities, agentInfo, protocolVersion, authMethods } = await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
  });
  report('initialize', { agentCapabilities, agentInfo, protocolVersion, authMethods });

  const opened = await agent.request('session/new', { cwd, mcpServers: [] });
  const { sessionId } = opened;
  report('new session', opened);
  const ask = (text, id = sessionId) =>
    agent.request('session/prompt', { sessionId: id, prompt: [{ type: 'text', text }] });

  report('prompt: stop reason', (await ask('Say hello.')).stopReason, 'end_turn');
  report('prompt: answer', said(), 'Hello from the model.');
  report('prompt: updates', kinds());

  answer = 'reject_once';
  report('permission rejected: stop reason', (await ask('Write a file.')).stopReason, 'end_turn');
  report('permission rejected: asked', permissions.splice(0));
  report('permission rejected: file', existsSync(join(cwd, 'boat.txt')), false);
  report('permission rejected: updates', kinds());

  answer = 'allow_once';
  report('permission allowed: stop reason', (await ask('Write it now.')).stopReason, 'end_turn');
  report('permission allowed: asked', permissions.splice(0).length, 1);
  report('permission allowed: file', existsSync(join(cwd, 'boat.txt')), true);
  report('permission allowed: updates', kinds());

  onUpdate = ({ sessionUpdate }) => {
    if (sessionUpdate === 'agent_message_chunk') void agent.notify('session/cancel', { sessionId });
  };
  report('cancel: stop reason', (await ask('Count slowly.')).stopReason, 'cancelled');
  onUpdate = () => {};
  updates.length = 0;

  report('mode', await agent.request('session/set_mode', { sessionId, modeId: 'acceptEdits' }));
  report('mode: stop reason', (await ask('Write another.')).stopReason, 'end_turn');
  report('mode: asked', permissions.splice(0).length, 0);
  report('mode: file', existsSync(join(cwd, 'second.txt')), true);
  report('mode: unknown', String((await failure(setMode('no-such-mode'))) instanceof Error), 'true');
  function setMode(modeId) {
    return agent.request('session/set_mode', { sessionId, modeId });
  }

  const model = { sessionId, configId: 'model', value: 'haiku' };
  const { configOptions } = await agent.request('session/set_config_option', model);
  report('model', configOptions.find(({ id }) => id === 'model')?.currentValue, 'haiku');
  updates.length = 0;
  report('memory: stop reason', (await ask('What did you say first?')).stopReason, 'end_turn');
  report('memory: answer', said(), 'I said hello.');

  await agent.request('session/close', { sessionId });
  report('prompt after close', (await failure(ask('Anybody there?')))?.message);

  const { sessions } = await agent.request('session/list', { cwd });
  report(
    'list',
    sessions.map(({ sessionId: id, cwd: at }) => ({ same: id === sessionId, at })),
  );
  updates.length = 0;
  const loaded = await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
  report('load', Object.keys(loaded).sort());
  report('load: replayed', kinds());
  updates.length = 0;
  report('load: stop reason', (await ask('Are you back?')).stopReason, 'end_turn');
  report('load: answer', said(), 'I am back.');
  await agent.request('session/close', { sessionId });
  const resumed = await agent.request('session/resume', { sessionId, cwd, mcpServers: [] });
  report('resume', Object.keys(resumed).sort());
  updates.length = 0;
  await ask('Are you back?');
  report('resume: answer', said(), 'I am back.');
  await agent.request('session/close', { sessionId });
});
adapter.stdin.end();
report('exit', await ended, 0);
process.disconnect();

/** The text of the agent since the last prompt. */
function said() {
  const chunks = updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
  return chunks.map(({ content }) => content.text).join('');
}

/** The updates since the last call, in order; repeats of one kind are listed once. Titles arrive independently. */
function kinds() {
  return updates
    .splice(0)
    .filter(({ sessionUpdate }) => sessionUpdate !== 'session_info_update')
    .map(({ sessionUpdate, status, title }) => [sessionUpdate, status, title].filter(Boolean).join(' '))
    .filter((one, index, all) => one !== all[index - 1]);
}
