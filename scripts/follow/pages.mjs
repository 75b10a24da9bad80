import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runLogged } from './run-logged.mjs';

const WRITERS = [
  ['node', '--import', 'tsx', 'conformance/scenarios/write-page.ts'],
  ['npm', 'run', '-s', 'docs'],
  ['npm', 'run', '-s', 'format'],
];

/**
 * Writes the generated pages, formats them, and lists the files that differ from the last commit.
 * @param {import('./steps.mjs').Followed} followed
 */
export async function pages({ root, journal }) {
  const log = join(journal.folder, 'pages.log');
  for (const command of WRITERS) {
    if ((await runLogged(command, { root, log })) !== 0) throw new Error(`${command.join(' ')} failed: see ${log}`);
  }
  const { stdout } = spawnSync('git', ['diff', '--stat', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return { diff: stdout.trim().split('\n') };
}
