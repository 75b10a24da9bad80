import { text, toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

describe.concurrent.each(testedVersions)('options in the handshake with %s', (version) => {
  it('[O-8] an alias runs the tool; hooks and rules get the name of the tool that runs', async () => {
    const calls = ['echo four', 'rm oars'].map((command) => toolUse('Shell', { command }));
    await using stage = await openStage([...calls, text('done')], { version });
    const hooked: unknown[] = [];
    const session = await stage.start({
      toolAliases: { Shell: 'Bash' },
      allowedTools: ['Bash'],
      disallowedTools: ['Bash(rm *)'],
      hooks: { PreToolUse: (input) => void hooked.push(input.tool_name) },
    });
    const { messages } = await session.send('Count the oars.').collect();
    const results = messages.filter(({ type }) => type === 'user').map((message) => JSON.stringify(message));
    expect(results).toEqual([expect.stringContaining('"four"'), expect.stringContaining('denied')]);
    expect(hooked).toEqual(['Bash', 'Bash']);
  });

  it('[O-8] an alias does not reach a tool that is denied', async () => {
    await using stage = await openStage([toolUse('Shell', { command: 'echo four' }), text('done')], { version });
    const session = await stage.start({ toolAliases: { Shell: 'Bash' }, disallowedTools: ['Bash'] });
    const { messages } = await session.send('Count the oars.').collect();
    const [result] = messages.filter(({ type }) => type === 'user').map((message) => JSON.stringify(message));
    expect(result).toContain('No such tool available');
  });

  it('[O-8] instructions replace the steps of plan mode, and only there', async () => {
    await using stage = await openStage([text('one'), text('two')], { version });
    const planModeInstructions = 'Ask the harbour first.';
    const asked = (): string => JSON.stringify(stage.api.conversation.at(-1)?.body);
    const session = await stage.start({ planModeInstructions });
    await session.send('one').text();
    expect(asked()).not.toContain(planModeInstructions);
    await session.setPermissionMode('plan');
    await session.send('two').text();
    expect(asked()).toContain(planModeInstructions);
  });

  it('[O-8] a subagent that runs for half a minute gets a summary', { timeout: 120_000 }, async () => {
    // The CLI asks for it 30 s after the start of the subagent.
    const rows = 'for row in $(seq 600); do [ -e stop ] && break; sleep 0.1; done';
    const calls = [toolUse('Agent', ROW), toolUse('Bash', { command: rows })];
    await using stage = await openStage([...calls, ...Array(4).fill(text('rows in circles'))], { version });
    const session = await stage.start({ agentProgressSummaries: true, allowedTools: ['Bash', 'Agent', 'Task'] });
    const summaries: unknown[] = [];
    for await (const message of session.send('Start.')) {
      if (message.type !== 'system' || message.subtype !== 'task_progress' || !('summary' in message)) continue;
      summaries.push(message.summary);
      await stage.touch('stop');
    }
    expect(summaries).toContain('rows in circles');
  });
});

const ROW = {
  description: 'row',
  prompt: 'Row the boat.',
  subagent_type: 'general-purpose',
  run_in_background: false,
};
