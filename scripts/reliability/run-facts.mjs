import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import process from 'node:process';

/** When and where a run was made, and on which commit. */
export function runFacts() {
  return { date: new Date().toISOString(), machine: machine(), commit: commit() };
}

function machine() {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${type()} ${release()}, ${cpus().length} × ${cpu?.model.trim() ?? process.arch}, ${memory}`;
}

/** Marks a work tree with uncommitted changes. */
function commit() {
  const head = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  if (head.status !== 0) return 'not in a repository';
  const changed = spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout.trim() !== '';
  return `${head.stdout.trim()}${changed ? ' with changes' : ''}`;
}
