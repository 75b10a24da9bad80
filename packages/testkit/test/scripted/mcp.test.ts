import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { script } from '../../src/scripted/script.ts';
import { kindOf } from './kind-of.ts';
import { Rehearsal } from './rehearsal.ts';

const argv = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const adds = script().otherwise((turn) =>
  turn.useTool('mcp__calc__add', { a: 2, b: 3 }, { permission: 'allow' }).say('Added.'),
);

describe('servers of the host in a scripted session', () => {
  it('[K-1] are initialized, listed with their tools in init, and called', () => {
    const session = started();
    answer(session, { content: [{ type: 'text', text: '5' }] });
    expect(session.frames.find(({ subtype }) => subtype === 'init')).toMatchObject({
      tools: expect.arrayContaining(['mcp__calc__add']),
      mcp_servers: [{ name: 'calc', status: 'connected' }],
    });
    expect(toolResult(session)).toMatchObject({ content: [{ type: 'text', text: '5' }] });
    expect(session.frames.at(-1)).toMatchObject({ type: 'result', result: 'Added.' });
  });

  it('[K-1] report a failed call as an error', () => {
    const session = started();
    answer(session, { content: [{ type: 'text', text: 'no numbers' }], isError: true });
    expect(toolResult(session)).toMatchObject({ content: 'no numbers', is_error: true });
  });

  it('[K-1] distinguish a call that the server refused from one that ran', () => {
    const text = 'Invalid input for add: a is not a number.';
    const refused = started();
    answer(refused, { content: [{ type: 'text', text }], isError: true });
    expect(outcomes(refused)).toEqual(['invalid']);
    const failed = started();
    answer(failed, { content: [{ type: 'text', text: 'out of paper' }], isError: true });
    expect(outcomes(failed)).toEqual(['ran']);
  });

  it('[K-1] report a call of an unknown tool', () => {
    const session = new Rehearsal(adds, argv);
    session.send(prompt);
    session.finish();
    expect(outcomes(session)).toEqual(['unavailable']);
  });

  it('[K-1] report a call of a tool that the server does not offer, without asking the server', () => {
    const session = started(
      script().otherwise((turn) => turn.useTool('mcp__calc__divide', {}, { permission: 'allow' }).say('I cannot.')),
    );
    session.finish();
    expect(outcomes(session)).toEqual(['unavailable']);
    expect(session.frames.map(kindOf)).not.toContain('control_request mcp_message tools/call');
    expect(toolResult(session)).toMatchObject({
      content: '<tool_use_error>Error: No such tool available: mcp__calc__divide</tool_use_error>',
    });
  });

  it('[K-1] are listed again when the server reports changed tools', () => {
    const session = started();
    answer(session, { content: [] });
    const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    const request = { subtype: 'mcp_message', server_name: 'calc', message };
    session.send({ type: 'control_request', request_id: 'changed', request });
    expect(session.frames.slice(-2).map(kindOf)).toEqual([
      'control_response success',
      'control_request mcp_message tools/list',
    ]);
  });

  it('[K-1] are given up after a timeout if their answers lack the wrapper', () => {
    const session = new Rehearsal(adds, argv, { MCP_TIMEOUT: '3000' });
    session.send(hello);
    session.send(prompt);
    for (let asked = 1; asked <= 2; asked += 1) {
      const request_id = session.frames.findLast(({ type }) => type === 'control_request')?.request_id;
      session.send({
        type: 'control_response',
        response: { subtype: 'success', request_id, response: { result: {} } },
      });
      session.tick();
      session.tick();
    }
    session.finish();
    expect(session.frames.find(({ subtype }) => subtype === 'init')).toMatchObject({
      mcp_servers: [{ status: 'failed' }],
    });
    expect(toolResult(session)).toMatchObject({
      is_error: true,
      content: expect.stringContaining('No such tool available'),
    });
  });

  it('[K-1] receive a cancellation when the turn is interrupted', () => {
    const session = started();
    session.send({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
    expect(session.frames.slice(-5).map(kindOf)).toEqual([
      'control_request mcp_message notifications/cancelled',
      'control_response success',
      'user tool_result',
      'user text',
      'result error_during_execution',
    ]);
  });
});

const hello = {
  type: 'control_request',
  request_id: 'hello',
  request: { subtype: 'initialize', sdkMcpServers: ['calc'] },
};
const prompt = { type: 'user', message: { role: 'user', content: 'add' } };

/** A session whose server is connected and is asked to add, or to do what the agent scripts. */
function started(agent = adds): Rehearsal {
  const session = new Rehearsal(agent, argv);
  session.send(hello);
  session.send(prompt);
  answer(session, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'calc' } });
  answer(session, {});
  answer(session, { tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
  session.tick();
  return session;
}

/** Answers the last message to the server. */
function answer(session: Rehearsal, result: JsonObject): void {
  const asked = session.frames.findLast(({ type }) => type === 'control_request');
  const request = asked?.request as { message: { id?: number } } | undefined;
  const response = { mcp_response: { jsonrpc: '2.0', id: request?.message.id ?? 0, result } };
  session.send({ type: 'control_response', response: { subtype: 'success', request_id: asked?.request_id, response } });
}

function toolResult(session: Rehearsal): unknown {
  const user = session.frames.find((frame) => kindOf(frame) === 'user tool_result');
  return (user?.message as { content: unknown[] } | undefined)?.content[0];
}

function outcomes(session: Rehearsal): unknown[] {
  return session.effects.flatMap((effect) =>
    effect.effect === 'record' && effect.entry.kind === 'tool' ? [effect.entry.outcome] : [],
  );
}
