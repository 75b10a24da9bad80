import { script } from '@coxswain/testkit';
import { stopTurn } from 'coxswain';
import type { UserFrame } from 'coxswain/types';
import { scenario } from '../scenario.ts';

export default scenario('steered-and-stopped', {
  about: 'A `UserPromptSubmit` hook stops the agent at a prompt that would join a turn: it gets a separate turn.',
  agent: script().otherwise((turn) =>
    turn
      .useTool('Bash', { command: 'until [ -e go ]; do sleep 0.1; done' }, { durationMs: 2_000 })
      .useTool('Bash', { command: 'echo on' })
      .say('I go on.'),
  ),
  play: (host) =>
    host.session(
      {
        allowedTools: ['Bash'],
        hooks: { UserPromptSubmit: ({ prompt }) => (prompt.includes('Stop') ? stopTurn('Enough.') : undefined) },
      },
      async (session) => {
        const turn = session.send('Take your time.');
        await host.until('assistant tool_use');
        await session.push(halt);
        await session.request('get_session_cost');
        await host.touch('go');
        await turn.result();
        if (session.capabilities.features.length > 0) await host.until('result success', 2);
      },
    ),
});

const halt: UserFrame = {
  type: 'user',
  message: { role: 'user', content: 'Stop!' },
  uuid: '00000000-0000-4000-8000-000000000002',
};
