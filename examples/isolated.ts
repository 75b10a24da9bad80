/** Two tenants, each with a CLI that sees only its own folders. Needs Linux, bubblewrap (`bwrap` in PATH) and the real CLI. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from 'coxswain';

const root = await mkdtemp(join(tmpdir(), 'cox-tenants-'));

// #region isolate
async function answerOf(tenant: string, prompt: string): Promise<string> {
  const folder = async (name: string) => {
    const path = join(root, tenant, name);
    await mkdir(path, { recursive: true });
    return path;
  };
  await using session = openSession({
    cwd: await folder('work'),
    configDir: await folder('config'), // ~/.claude would have the conversations of all tenants
    inheritEnv: ['PATH', 'LANG', 'ANTHROPIC_*'], // what its tools may read
    isolate: 'bubblewrap',
    allowedTools: ['Bash'],
  });
  return await session.send(prompt).text();
}
// #endregion

console.log(await answerOf('ann', 'Write "of ann" to notes.txt.'));
console.log(await answerOf('bob', `Read ${join(root, 'ann', 'work', 'notes.txt')}.`));
await rm(root, { recursive: true });
