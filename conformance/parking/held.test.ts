import { text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, allow, askUser, decideLater, type OpenSessionOptions } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';
import { CALL, calls, command, runsCommand } from '../parked/model.ts';
import { parkedVersions } from '../parked/versions.ts';
import { isOlder, openParkStage } from './stage.ts';

const AGENT = { description: 'a look', prompt: 'Look around.', subagent_type: 'general-purpose' };

/** A tool of the host. */
const calc: NonNullable<AgentOptions['mcpServers']>[string] = ({ method }) => {
  if (method === 'initialize') {
    const serverInfo = { name: 'calc', version: '1' };
    return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } };
  return { result: { content: [{ type: 'text', text: '5' }] } };
};

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

describe.each(parkedVersions)('a request that cannot be parked on %s', (version) => {
  it('[G-8] belongs to a session without a store, and can still be answered', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const session = await stage.start({ canUseTool: () => decideLater() });
    const turn = session.send('first prompt');
    const request = await waitUntil(() => session.pendingPermissions()[0], { what: 'the request' });
    await expect(session.park(request.id)).rejects.toMatchObject({ code: 'cannot-park', obstacle: 'no-store' });
    await session.answerPermission(request.id, allow());
    expect(await turn.text()).toBe('done');
    await expect(session.park(request.id)).rejects.toMatchObject({ code: 'no-such-permission' });
  });

  it('[G-8] belongs to a subagent', async () => {
    await using stage = await openParkStage(
      (current) =>
        ({ body }) => {
          const messages = JSON.stringify(body.messages);
          if (messages.includes('first prompt')) {
            return messages.includes('tool_result') ? text('done') : toolUse('Agent', AGENT, { id: 'toolu_agent' });
          }
          return messages.includes('tool_result') ? text('seen') : command(current());
        },
      version,
    );
    await expect(stage.parkFirst()).rejects.toMatchObject({ code: 'cannot-park', obstacle: 'subagent' });
  });

  it('[G-8] concerns a tool of the host', async () => {
    await using stage = await openParkStage(calls('mcp__calc__add', { a: 2 }), version);
    const hosted: OpenSessionOptions = { mcpServers: { calc }, hooks: { PreToolUse: () => askUser('who knows') } };
    await expect(stage.parkFirst(hosted)).rejects.toMatchObject({ code: 'cannot-park', obstacle: 'host-tool' });
  });

  it('[G-8] waits while a background command runs', async () => {
    await using stage = await openParkStage(
      (current) => [
        toolUse('Bash', { command: 'sleep 60', run_in_background: true }, { id: 'toolu_background' }),
        () => command(current()),
        text('done'),
      ],
      version,
    );
    await expect(stage.parkFirst()).rejects.toMatchObject({
      code: 'cannot-park',
      obstacle: 'background-work',
    });
  });

  it('[G-8] is in a turn with outputSchema on releases that lose it; others keep it', async () => {
    await using stage = await openParkStage(
      (current) => [() => command(current(), CALL), toolUse('StructuredOutput', { n: 7 }), text('done')],
      version,
    );
    const parking = stage.parkFirst({ outputSchema: SCHEMA });
    if (isOlder(version)) {
      await expect(parking).rejects.toMatchObject({ code: 'cannot-park', obstacle: 'structured-output' });
      return;
    }
    const parked = { ...(await parking), answer: allow() };
    await using elsewhere = await stage.elsewhere(parked, { outputSchema: SCHEMA });
    expect(await elsewhere.turn.output()).toEqual({ n: 7 });
  });
});
