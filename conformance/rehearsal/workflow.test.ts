import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COX } from '../../packages/cli/test/terminal/pty.ts';
import { pinnedVersion } from '../harness/real-cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const project = join(root, 'examples/testing/rehearsal');

describe('the workflow of the example project', () => {
  it(`[N-7] comments no difference, and a change of the agent, with the exit code of the rehearsal (${pinnedVersion})`, {
    timeout: 400_000,
  }, async () => {
    const { folder, run } = await checkedOut();
    expect(await run('Rehearse')).toBe(0);
    expect(await run('Comment')).toBe(0);
    expect(await readFile(join(folder, 'comments'), 'utf8')).toMatch(
      /^pr comment 7 --body-file report.md --edit-last --create-if-none\n## Rehearsal\n\n\*\*No difference in \d+ calls\.\*\*/,
    );
    const agent = await readFile(join(folder, 'agent.js'), 'utf8');
    await writeFile(join(folder, 'agent.js'), agent.replace("'Bash(npm test)', ", ''));
    expect(await run('Rehearse')).toBe(1);
    expect(await run('Comment')).toBe(0);
    expect(await readFile(join(folder, 'comments'), 'utf8')).toMatch(
      /\d+ of \d+ calls would now be refused[\s\S]*\| Bash\(npm test\) \|/,
    );
  });

  it('[N-7] runs for what the rehearsal depends on, and may write only comments', async () => {
    const text = await workflow();
    expect(text).toContain("paths: ['agent.js', 'conversations/**', 'package.json', 'package-lock.json']");
    expect(text).toMatch(/permissions:\n {2}contents: read\n {2}pull-requests: write\n/);
    expect(text).not.toMatch(/pull_request_target|\$\{\{ github\.event\.(pull_request\.(title|body|head)|comment)/);
  });
});

/** A checkout of the project after `npm ci`, and its steps. `gh` writes what it was called with, and the comment. */
async function checkedOut() {
  const folder = await mkdtemp(join(tmpdir(), 'workflow-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(project, folder, { recursive: true });
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  for (const name of ['coxswain', '@coxswain']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  await symlink(COX, join(folder, 'node_modules/.bin/cox'));
  await writeFile(join(folder, 'gh'), '#!/bin/sh\nset -e\n{ echo "$@"; cat "$5"; } > comments\n', { mode: 0o755 });
  const steps = stepsIn(await workflow());
  const run = async (name: string): Promise<number | null> => {
    const { script, env } = steps.get(name) ?? {};
    if (script === undefined) throw new Error(`The workflow has no step ${name}.`);
    const done = spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        HOME: folder,
        COXSWAIN_RELEASES: join(root, '.cache/cli'),
        ...env,
      },
      encoding: 'utf8',
      timeout: 150_000,
    });
    if (done.status !== 0) process.stdout.write(done.stdout + done.stderr);
    return done.status;
  };
  return { folder, run };
}

function workflow(): Promise<string> {
  return readFile(join(project, '.github/workflows/rehearsal.yml'), 'utf8');
}

/** The named steps with a command; what GitHub fills in is replaced. */
function stepsIn(text: string): ReadonlyMap<string, { readonly script: string; readonly env: Record<string, string> }> {
  const parts = text.split(/^ {6}- /m).slice(1);
  return new Map(
    parts.flatMap((part) => {
      const [, name] = /^name: (.+)$/m.exec(part) ?? [];
      const [, script] = /^ {8}run: (.+)$/m.exec(part) ?? [];
      if (name === undefined || script === undefined) return [];
      const env = [...part.matchAll(/^ {10}(\w+): (.+)$/gm)].map(([, key = '', value = '']) => [
        key,
        VALUES[value] ?? value,
      ]);
      return [[name, { script, env: Object.fromEntries(env) }]];
    }),
  );
}

const VALUES: Readonly<Record<string, string>> = {
  '${{ github.token }}': 'a-token',
  '${{ github.event.pull_request.number }}': '7',
};
