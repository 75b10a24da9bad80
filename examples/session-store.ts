/** A conversation starts on one machine and continues on another; they share only the store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { fileStore } from 'coxswain/store';
import { getSessionMessages, listSessions } from 'coxswain/transcripts';
import { pickAgent } from './agent.ts';

const scripted = script()
  .onPrompt('name of my boat', (turn) => turn.say('Aye. Ariel it is.'))
  .otherwise((turn) => turn.say('She is called Ariel.'));
await using agent = await pickAgent(scripted);

// Each machine has a folder and a configuration directory of its own.
const root = await mkdtemp(join(tmpdir(), 'cox-store-'));
const machine = async (name: string) => ({
  cli: agent.cli,
  cwd: await mkdtemp(join(root, `${name}-work-`)),
  configDir: await mkdtemp(join(root, `${name}-config-`)),
});

// #region begin
const store = fileStore(join(root, 'store')); // a shared volume; or your own adapter

const here = await machine('a');
const first = openSession({ ...here, sessionStore: store });
console.log(await first.send('The name of my boat is Ariel.').text()); // stored before you have the answer
const { id } = first;
// #endregion
await first.close();
for (const folder of [here.cwd, here.configDir]) await rm(folder, { recursive: true, force: true }); // the machine is gone

const there = await machine('b');

// #region elsewhere
await using second = openSession({ ...there, sessionStore: store, resume: id }); // another machine
console.log(await second.send('What is my boat called?').text());
// #endregion

// #region read
for (const session of await listSessions({ store })) {
  const messages = await getSessionMessages(session.id, { store });
  const prompts = messages.filter(({ type }) => type === 'user').length;
  console.log(`${session.firstPrompt} (${prompts} prompts${session.id === id ? ', this conversation' : ''})`);
}
// #endregion

await second.close();
await rm(root, { recursive: true, force: true });
