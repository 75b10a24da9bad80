import { describe, expect, it } from 'vitest';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';
import { startedSession } from '../started-session.ts';

describe('the listings of a scripted session', () => {
  it('[K-1, X-1] have the rules of the options, and what can be read again', async () => {
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('ok')));
    await using session = await startedSession({ transport, allowedTools: ['Read', 'Bash(git log *)'] });
    const rules = await session.permissionRules();
    expect(rules.map(({ behavior, rule }) => `${behavior} ${rule}`)).toEqual(['allow Read', 'allow Bash(git log *)']);
    expect(await session.configuredHooks()).toEqual([]);
    expect(await session.reloadPlugins()).toMatchObject({ plugins: [], errorCount: 0 });
    expect(await session.reloadSkills()).toEqual([]);
    expect(await session.reloadOutputStyles()).toContain('default');
  });

  it('[K-1, X-1] refuse what the session does not have', async () => {
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('ok')));
    await using session = await startedSession({ transport });
    await expect(session.readMcpResource('boats', 'file:///x')).rejects.toThrow('must use the ui:// scheme');
    await expect(session.readMcpResource('boats', 'ui://x')).rejects.toThrow('Server not found');
    await expect(session.taskOutput('none')).rejects.toThrow('no shell or Monitor task');
  });
});
