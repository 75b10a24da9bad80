import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('stopped-task', {
  about: 'The host stops a background command.',
  agent: script().otherwise((turn) => turn.runInBackground('sleep 30', { runsMs: 30_000 }).say('It is under way.')),
  play: (host) =>
    host.session({ allowedTools: ['Bash'] }, async (session) => {
      const { messages: items } = await session.send('Start it.').collect();
      const started = items.find((message) => message.type === 'system' && message.subtype === 'task_started');
      await session.stopTask(String(Object(started).task_id));
      // 2.1.325 reports a second time that it is idle.
      if (session.capabilities.features.length > 0) await host.until('system session_state_changed', 3);
    }),
});
