import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { scriptedCli } from '@coxswain/testkit';

/**
 * The scripted CLI as a separate program, always run by Node: the real CLI also has its own runtime.
 * @param {import('@coxswain/testkit').Script} script
 */
export async function agentOnNode(script) {
  const cli = await scriptedCli(script);
  const path = join(dirname(cli.path), 'claude');
  const node = process.env.SMOKE_NODE ?? 'node';
  writeFileSync(path, `#!/bin/sh\nexec '${node}' '${cli.path}' "$@"\n`, { mode: 0o700 });
  return { path, remove: () => cli[Symbol.asyncDispose]() };
}
