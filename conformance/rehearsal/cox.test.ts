import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCox } from '../../packages/cli/test/run-cox.ts';
import { aScenario, step } from '../../packages/rehearsal/test/a-scenario.ts';
import { pinnedVersion, realCli } from '../harness/real-cli.ts';

describe('cox rehearse', () => {
  let folder: string;
  const at = (name: string): string => join(folder, name);
  const cox = (...args: string[]) => runCox(['rehearse', at('kept'), '--cli', realCli(), ...args]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cox-rehearse-'));
    const kept = [
      aScenario([[step('Bash', { command: 'npm test' }), step('Bash', { command: 'npm publish' })]], { name: 'one' }),
      aScenario([[step('Bash', { command: 'npm publish' })]], { name: 'two' }),
    ];
    const agent = (rules: object): string => `export default ${JSON.stringify({ settingSources: [], ...rules })};\n`;
    await writeFile(at('old.mjs'), agent({ allowedTools: ['Bash(npm *)'] }));
    await writeFile(at('new.mjs'), agent({ allowedTools: ['Bash(npm *)'], disallowedTools: ['Bash(npm publish)'] }));
    await writeFile(
      at('fleet.mjs'),
      `export default { options: () => (${JSON.stringify({ settingSources: [] })}) };\n`,
    );
    await mkdir(at('kept'));
    for (const scenario of kept) await writeFile(at(`kept/${scenario.name}.json`), JSON.stringify(scenario));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(`[N-7] exits with 0 without a difference, and with 1 with differences (${pinnedVersion})`, async () => {
    // A busy machine reports its progress on stderr.
    expect(await cox('--agent', at('old.mjs'))).toMatchObject({
      stdout: '✓ No difference in 3 calls. (2 conversations)\n',
      code: 0,
    });
    const { stdout, code } = await cox(
      ...['--agent', at('new.mjs'), '--markdown', at('report.md'), '--html', at('report.html')],
    );
    expect(stdout).toContain('≠ 2 of 3 calls would now be refused. (2 conversations)');
    expect(stdout).toMatch(/2× +Bash\(npm publish\) +ran +refused by a rule or the mode +Permission to use Bash/);
    expect(code).toBe(1);
    expect(await readFile(at('report.html'), 'utf8')).toMatch(/<h1>.*≠.* 2 of 3 calls would now be refused\.<\/h1>/);
    expect((await stat(at('report.html'))).mode & 0o077).toBe(0);
    expect(await readFile(at('report.md'), 'utf8')).toContain(
      '| Bash(npm publish) | ran | refused by a rule or the mode |',
    );
  });

  it(`[N-7] compares two agents, and writes JSON (${pinnedVersion})`, async () => {
    const { stdout, code } = await cox('--agent', at('fleet.mjs'), '--against', at('old.mjs'), '--json');
    expect(JSON.parse(stdout)).toMatchObject({ conversations: 2, calls: 3, changes: { 'now-refused': 3 }, failed: 0 });
    expect(code).toBe(1);
  });

  it('[N-7] exits with 2 if it cannot run', async () => {
    expect(await cox('--agent', at('none.mjs'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be loaded'),
    });
    expect(await runCox(['rehearse', at('none')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist'),
    });
    const { stdout, code } = await runCox(['rehearse', at('kept'), '--cli', at('no-cli')]);
    expect(stdout).toMatch(/✗ Nothing could be rehearsed\. \(2 conversations\)[\s\S]*There is no CLI at/);
    expect(code).toBe(2);
  });

  it(`[N-9] --update accepts an intended change (${pinnedVersion})`, async () => {
    await runCox(['rehearse', at('kept/two.json'), '--keep', at('wanted')]);
    const again = (...args: string[]) =>
      runCox(['rehearse', at('wanted'), '--cli', realCli(), '--agent', at('new.mjs'), ...args]);
    expect((await again()).code).toBe(1);
    expect(await again('--update')).toMatchObject({ stdout: `${at('wanted/two.json')}\n`, code: 0 });
    expect((await again()).code).toBe(0);
  });

  it('[N-1] --keep writes scenarios for a repository', async () => {
    expect((await runCox(['rehearse', at('kept/one.json'), '--keep', at('copy')])).code).toBe(0);
    expect(await readdir(at('copy'))).toEqual(['one.json']);
    // What was kept may have been changed by a person.
    const again = await runCox(['rehearse', at('kept/one.json'), at('none.ndjson'), '--keep', at('copy')]);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') });
    expect(await runCox(['rehearse', at('kept/one.json'), '--keep', at('copy')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one.json exists'),
    });
  });
});
