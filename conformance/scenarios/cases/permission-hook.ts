import { script } from '@coxswain/testkit';
import { allow } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('permission-hook', {
  about: 'A `PermissionRequest` hook answers faster than `canUseTool`.',
  agent: script().otherwise((turn) => turn.useTool('Write', { file_path: 'a.txt', content: 'a' }).say('Written.')),
  play: (host) =>
    host.session(
      { canUseTool: () => new Promise(() => {}), hooks: { PermissionRequest: () => allow() } },
      async (session) => {
        await session.send('Write it.').result();
      },
    ),
});
