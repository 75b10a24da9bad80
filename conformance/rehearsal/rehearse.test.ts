import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDifference, diff, fromTranscript, perform, rehearse, type Scenario } from '@coxswain/rehearsal';
import { text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, allow, deny, permissions } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { listSessions } from 'coxswain/transcripts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { aScenario, step } from '../../packages/rehearsal/test/a-scenario.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

const AGENT: AgentOptions = { settingSources: [], allowedTools: ['Bash(npm *)'], canUseTool: () => allow() };

describe.each(testedVersions)('a rehearsal on %s', (version) => {
  const cli = realCli(version);

  it(`[N-1, N-3] finds no difference in a conversation that was just recorded, nor between two runs of one stage (${version})`, async () => {
    const scenario = await recorded(version, AGENT);
    const first = await rehearse(scenario, { agent: AGENT, cli });
    expect(first.differences).toEqual([]);
    expect(first.after.calls.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      'Bash ran',
      'Read ran',
      'Edit ran',
      'Bash ran',
      'Agent ran',
      'Bash ran',
    ]);
    expect(diff(first.after, await perform(scenario, { agent: AGENT, cli }))).toEqual([]);
  });

  it(`[N-2] does not run commands, whatever the agent allows (${version})`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rehearsal-canary-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const canary = join(folder, 'canary');
    await writeFile(canary, 'alive');
    const scenario = aScenario([
      [
        step('Bash', { command: `rm -rf ${folder}` }),
        step('Bash', { command: `touch ${folder}/touched`, run_in_background: true }),
        step('Bash', { command: `echo 'it'"'"'s' > "${folder}/touched"; $(touch ${folder}/touched)` }),
        step('Write', { file_path: join(folder, 'written'), content: 'x' }),
        step('Edit', { file_path: canary, old_string: 'alive', new_string: 'dead' }),
        step('Write', { file_path: `../../../../../../../../../../../..${join(folder, 'written')}`, content: 'x' }),
      ],
    ]);
    const { after } = await rehearse(scenario, {
      agent: { settingSources: [], allowedTools: ['Bash', 'Write', 'Edit'] },
      cli,
    });
    expect(after.calls.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual(['Bash ran', 'Bash ran', 'Bash ran']);
    expect(after.gaps.map(({ what }) => what)).toEqual([
      expect.stringContaining('Write outside of the working directory'),
      expect.stringContaining('Edit outside of the working directory'),
      expect.stringContaining('Write outside of the working directory'),
    ]);
    expect(await readFile(canary, 'utf8')).toBe('alive');
    expect(existsSync(join(folder, 'touched')) || existsSync(join(folder, 'written'))).toBe(false);
  });

  it(`[N-4] reports the differences that a stricter rule, a hook and a callback cause (${version})`, async () => {
    const publish = step('Bash', { command: 'npm publish' });
    const drop = step('Bash', { command: 'dropdb boats' });
    const deploy = step('Bash', { command: 'make deploy' });
    const scenario = aScenario([[publish, drop, deploy, step('Bash', { command: 'npm test' })]]);
    const before: AgentOptions = { settingSources: [], ...permissions({ allow: ['Bash'], ask: () => allow() }) };
    const after: AgentOptions = {
      settingSources: [],
      ...permissions({ allow: ['Bash(npm *)'], deny: ['Bash(npm publish)'], ask: () => allow() }),
      hooks: { PreToolUse: (input) => (JSON.stringify(input).includes('dropdb') ? deny('No databases.') : undefined) },
    };
    const { differences } = await rehearse(scenario, { agent: after, cli }, { against: { agent: before, cli } });
    // The rule for all commands made the callback useless, which was a warning.
    expect(differences[0]).toMatchObject({ subject: 'warning permissions-shadowed', after: 'absent' });
    const ofCalls = differences.slice(1);
    expect(ofCalls.map(({ change, call }) => `${change} ${call}`)).toEqual([
      `now-refused ${publish.call.id}`,
      `now-refused ${drop.call.id}`,
      `now-asked ${deploy.call.id}`,
    ]);
    expect(ofCalls.map(describeDifference)[0]).toMatch(
      /^Bash\(npm publish\): allowed without asking → refused by a rule or the mode: Permission to use Bash .* denied\.$/,
    );
    expect(ofCalls[1]).toMatchObject({
      after: 'refused by a hook',
      reason: expect.stringContaining('No databases.'),
      afterDivergence: true,
    });
  });

  it(`[N-2] neither calls the function of an in-process tool nor starts a server (${version})`, async () => {
    let calls = 0;
    const orders = tool('orders', 'Orders.', z.object({ customer: z.string() }), () => {
      calls += 1;
      return 'today';
    });
    const found = step('mcp__shop__orders', { customer: 'ada' }, { text: 'as recorded' });
    const sent = step('mcp__mail__send', { to: 'ada' }, { text: 'sent' });
    const agent: AgentOptions = {
      settingSources: [],
      mcpServers: { shop: toolServer({ name: 'shop', tools: [orders] }), mail: { command: '/no/such/program' } },
      allowedTools: ['mcp__mail__send'],
    };
    const { after, differences } = await rehearse(aScenario([[found, sent]]), { agent, cli });
    expect(differences).toEqual([]);
    expect(after.calls.map(({ outcome }) => outcome)).toEqual(['ran', 'ran']);
    expect(calls).toBe(0);
  });
});

/** Records a conversation on the real CLI: a command, files, a rule, a subagent, and two turns. */
async function recorded(version: string, agent: AgentOptions): Promise<Scenario> {
  let project = '';
  await using scene = await openScene(
    [
      [toolUse('Bash', { command: 'cat boats.txt; date > now.txt' }), toolUse('Read', { file_path: 'boats.txt' })],
      () => toolUse('Edit', { file_path: join(project, 'boats.txt'), old_string: 'Ariel', new_string: 'Puck' }),
      toolUse('Bash', { command: 'npm --version' }),
      toolUse('Agent', {
        description: 'Count',
        prompt: 'Count the boats, please.',
        subagent_type: 'general-purpose',
        run_in_background: false,
      }),
      toolUse('Bash', { command: 'npm run count' }),
      text('One boat.'),
      text('Renamed.'),
      text('Bye.'),
    ],
    { version },
  );
  project = scene.home.project;
  await writeFile(join(project, 'boats.txt'), 'Ariel\n');
  await scene.query('Rename the boat.', { ...agent, persistSession: true }).result();
  const [session] = await listSessions({ configDir: scene.home.configDir });
  return await fromTranscript(session?.path ?? '');
}
