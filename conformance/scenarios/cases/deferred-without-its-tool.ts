import { script } from '@coxswain/testkit';
import { tool, toolServer } from 'coxswain/mcp';
import { memoryStore, type StoreEntry } from 'coxswain/store';
import { z } from 'zod';
import { scenario } from '../scenario.ts';

const add = tool('add', 'Adds two numbers.', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => String(a + b));
const calc = toolServer({ name: 'calc', tools: [add] });

export default scenario('deferred-without-its-tool', {
  about:
    "A conversation is resumed whose deferred call is one of the host's tools, which is not connected yet; another one whose deferred call does not exist.",
  agent: script().otherwise((turn) => turn.say('Five.')),
  async play(host) {
    const sessionStore = memoryStore();
    const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
    const restored = conversation(first, 'mcp__calc__add', 'toolu_1');
    await sessionStore.append({ projectKey: 'default', sessionId: first }, restored);
    await host.session({ sessionStore, resume: first, mcpServers: { calc } }, async (session) => {
      await host.until('result success');
      // 2.1.325 continues the handshake, older ones begin it at the first prompt.
      if (session.capabilities.features.length > 0) await host.until('control_request mcp_message tools/list');
    });
    const incomplete = conversation(second, 'Bash', 'toolu_2');
    await sessionStore.append({ projectKey: 'default', sessionId: second }, incomplete);
    await host.session({ sessionStore, resume: second }, () => host.until('result success', 2));
  },
});

/** A prompt, a call, and the marker of a deferred call. */
function conversation(sessionId: string, tool: string, deferred: string): StoreEntry[] {
  const input = { a: 2, b: 3 };
  const use = { type: 'tool_use', id: 'toolu_1', name: tool, input };
  const reply = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [use] };
  const attachment = { type: 'hook_deferred_tool', toolUseID: deferred, toolName: tool, toolInput: input };
  const parts = [
    { type: 'user', message: { role: 'user', content: 'Add.' } },
    { type: 'assistant', message: reply },
    { type: 'attachment', attachment },
  ];
  const uuids = parts.map((_, index) => `33333333-3333-4333-8333-33333333333${index}`);
  return parts.map((part, index) => ({
    parentUuid: uuids[index - 1] ?? null,
    isSidechain: false,
    sessionId,
    uuid: uuids[index],
    timestamp: `2026-11-01T00:00:0${index}.000Z`,
    ...part,
  }));
}
