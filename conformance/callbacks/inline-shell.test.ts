import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, allow, deny, type Hooks } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

/** A command and a skill of a project; the text in `` !`…` `` runs before the model reads the rest. */
const PROJECT = {
  '.claude/commands/deploy.md': ['description: Deploys.', 'allowed-tools: Bash(touch:*)', 'Done: !`touch by-command`'],
  '.claude/skills/status/SKILL.md': ['description: Looks.', 'allowed-tools: Bash(touch:*)', 'Done: !`touch by-skill`'],
};

/** A session in such a project whose guards deny every shell command, and the received calls. */
async function ranIn(version: string, options: AgentOptions = {}, more: Hooks = {}) {
  await using project = await openProject();
  const asked: string[] = [];
  await using stage = await openStage(version, {
    canUseTool({ toolName }) {
      asked.push(toolName);
      return toolName === 'Skill' ? allow() : deny('no');
    },
    hooks: {
      PreToolUse(input) {
        asked.push(input.tool_name);
        return input.tool_name === 'Bash' ? deny('no') : undefined;
      },
      ...more,
    },
    ...options,
    cwd: project.path,
  });
  // For an unknown command, some releases answer themselves, and others send the text to the model.
  await stage.play([text('done')], { prompt: '/deploy #0' });
  await stage.play([toolUse('Skill', { skill: 'status' }), text('done')]);
  return { ran: ['by-command', 'by-skill'].filter((name) => existsSync(join(project.path, name))), asked };
}

async function openProject(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'cox-project-'));
  for (const [name, [description, allowed, body]] of Object.entries(PROJECT)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), ['---', description, allowed, '---', body, ''].join('\n'));
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

describe.concurrent.each(testedVersions)(
  'shell commands inside the commands and skills of a project in %s',
  (version) => {
    it('[H-1] run without calling any hook or canUseTool', async () => {
      const { ran, asked } = await ranIn(version);
      expect(ran).toEqual(['by-command', 'by-skill']);
      expect(asked).not.toContain('Bash');
    });

    it.each<[string, AgentOptions]>([
      ['settingSources: []', { settingSources: [] }],
      ["disallowedTools: ['Bash']", { disallowedTools: ['Bash'] }],
      ['tools without Bash', { tools: ['Read', 'Skill'] }],
      ['disableSkillShellExecution in the settings', { settings: { disableSkillShellExecution: true } }],
    ])('[P-4] do not run with %s', async (_what, options) => {
      expect((await ranIn(version, options)).ran).toEqual([]);
    });

    it('[H-4] a UserPromptExpansion hook can refuse a command, and a PreToolUse hook for Skill can refuse a skill', async () => {
      const { ran } = await ranIn(
        version,
        {},
        {
          UserPromptExpansion: () => deny('no commands'),
          PreToolUse: { matcher: 'Skill', run: () => deny('no skills') },
        },
      );
      expect(ran).toEqual([]);
    });
  },
);
