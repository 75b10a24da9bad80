import { describe, expect, it } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { CapabilityRecord } from '../../src/conversation/capabilities.ts';
import type { Message } from '../../src/wire/messages.ts';
import { FakeCli, settle, start, success } from '../support/fake-cli.ts';
import { INIT } from '../support/say.ts';

const NOTHING = {
  cliVersion: undefined,
  features: [],
  tools: [],
  model: undefined,
  permissionMode: undefined,
  outputStyles: [],
  mcpServers: [],
  handshake: expect.any(Object),
};
const init = (fields: object): Message => ({ type: 'system', subtype: 'init', ...fields }) as unknown as Message; // A message from the wire.

describe('the capabilities that the CLI reports', () => {
  it.each([[undefined], [null], ['text'], [[]], [{ commands: 'none', models: {}, agents: null, capabilities: 7 }]])(
    '[S-5] %j leaves everything empty',
    (body) => {
      const record = new CapabilityRecord();
      record.fromHandshake(body);
      record.fromInit(init({ tools: null, mcp_servers: 3, model: {} }));
      expect(record.current).toEqual(NOTHING);
      expect([record.commands, record.models, record.agents]).toEqual([[], [], []]);
    },
  );

  it('[S-5] exclude entries without a name and keep all fields of the others', () => {
    const record = new CapabilityRecord();
    record.fromHandshake({
      commands: [{ name: 'compact', description: 'd', isNew: true }, {}, null],
      models: [{ value: 'opus', displayName: 'Opus', supportsEffort: true }, { displayName: 'nameless' }],
      agents: [{ name: 'explore' }, 'x'],
    });
    expect(record.commands).toEqual([{ name: 'compact', description: 'd', isNew: true }]);
    expect(record.models).toEqual([{ value: 'opus', displayName: 'Opus', supportsEffort: true }]);
    expect(record.agents).toEqual([{ name: 'explore' }]);
  });

  it('[S-5] combine the handshake with init, which replaces only the fields it has', () => {
    const record = new CapabilityRecord();
    record.fromHandshake({
      claude_code_version: PINNED_VERSION,
      capabilities: ['a'],
      current_permission_mode: 'plan',
      available_output_styles: ['default'],
      fast_mode_state: 'off',
    });
    record.fromInit(init({ tools: ['Bash'], model: 'm', mcp_servers: [{ name: 'calc', status: 'connected' }] }));
    expect(record.current).toEqual({
      cliVersion: PINNED_VERSION,
      features: ['a'],
      tools: ['Bash'],
      model: 'm',
      permissionMode: 'plan',
      outputStyles: ['default'],
      mcpServers: [{ name: 'calc', status: 'connected' }],
      // The complete answer, including fields without a separate property.
      handshake: {
        claude_code_version: PINNED_VERSION,
        capabilities: ['a'],
        current_permission_mode: 'plan',
        available_output_styles: ['default'],
        fast_mode_state: 'off',
      },
    });
    record.fromInit(init({ permissionMode: 'default', claude_code_version: '2.1.9999', capabilities: ['b'] }));
    expect(record.current).toMatchObject({
      cliVersion: '2.1.9999',
      features: ['b'],
      tools: [],
      model: 'm',
      permissionMode: 'default',
    });
  });

  it('[S-5] are available in a session, even if the answer to the handshake is empty', async () => {
    const { session, cli } = await start({}, new FakeCli({ initialize: success() }));
    expect(session.capabilities).toEqual(NOTHING);
    expect([session.commands, session.models, session.agents]).toEqual([[], [], []]);
    cli.say({ ...INIT, tools: ['Read'], model: 'claude-x' });
    await settle();
    expect(session.capabilities).toMatchObject({ tools: ['Read'], model: 'claude-x' });
  });
});
