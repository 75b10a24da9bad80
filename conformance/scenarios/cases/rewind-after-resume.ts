import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('rewind-after-resume', {
  about: 'The files of an earlier turn are restored after its session was resumed, and in a fork of it.',
  agent: script().otherwise((turn) => turn.useTool('Write', { file_path: 'a.txt', content: 'a' }).say('Written.')),
  async play(host) {
    const options = { fileCheckpointing: true, permissionMode: 'acceptEdits' } as const;
    const id = '11111111-1111-4111-8111-111111111111';
    let written = '';
    await host.session({ ...options, sessionId: id }, async (session) => {
      const turn = session.send('Write it.');
      written = turn.id;
      await turn.result();
    });
    await host.session({ ...options, resume: id }, async (session) => void (await session.rewindFiles(written)));
    await host.session({ ...options, resume: id, forkSession: true }, async (session) => {
      await session.rewindFiles(written, { dryRun: true });
      await session.rewindFiles(crypto.randomUUID()).catch(() => {});
    });
  },
});
