import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('partial-messages', {
  about: 'Thinking, text and a tool call are streamed.',
  agent: script().otherwise((turn) =>
    turn.think('Hm.').say('Let me look.').useTool('Bash', { command: 'echo hi' }).say('Hi.'),
  ),
  play: (host) => host.query('Look.', { includePartialMessages: true }),
});
