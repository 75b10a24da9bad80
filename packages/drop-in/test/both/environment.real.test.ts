import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '@coxswain/drop-in';
import { text } from '@coxswain/testkit';
import { compare, differs, SAME } from './compare.ts';
import { errorOf } from './facts.ts';
import { readAll, type Stage } from './stage.ts';

compare(
  '[U-3] the environment of the CLI',
  async (stage) => {
    const variables = join(stage.home.root, 'env.txt');
    const script = stage.script(`env > '${variables}'`, 'echo "to stderr" >&2');
    const seen = async (env: Options['env'] & {}) => {
      await stage.run('Hi.', { pathToClaudeCodeExecutable: script, env });
      const lines = readFileSync(variables, 'utf8').split('\n');
      return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
    };
    process.env.OF_THE_HOST = '1';
    const plain = await seen({
      NODE_OPTIONS: '--no-warnings',
      DEBUG: 'x',
      MINE: '1',
      CLAUDE_CODE_ENTRYPOINT: undefined,
    });
    const own = await seen({ CLAUDE_CODE_ENTRYPOINT: 'my-app' });
    delete process.env.OF_THE_HOST;
    const stderr: string[] = [];
    await stage.run('Hi.', { pathToClaudeCodeExecutable: script, stderr: (chunk) => stderr.push(chunk) });
    return {
      'a variable of the option': plain.get('MINE'),
      'a variable of the host': plain.get('OF_THE_HOST') ?? 'not there',
      NODE_OPTIONS: plain.get('NODE_OPTIONS') ?? 'not there',
      DEBUG: plain.get('DEBUG') ?? 'not there',
      CLAUDE_CODE_ENTRYPOINT: plain.get('CLAUDE_CODE_ENTRYPOINT') ?? 'not there',
      "the caller's CLAUDE_CODE_ENTRYPOINT": own.get('CLAUDE_CODE_ENTRYPOINT'),
      'the stderr callback': stderr.join(''),
    };
  },
  {
    'a variable of the option': '1',
    'a variable of the host': 'not there',
    NODE_OPTIONS: 'not there',
    DEBUG: 'not there',
    CLAUDE_CODE_ENTRYPOINT: differs('entrypoint'),
    "the caller's CLAUDE_CODE_ENTRYPOINT": 'my-app',
    'the stderr callback': 'to stderr\n',
  },
  { setsHostEnv: true },
);

compare(
  '[U-2] the system prompt the API receives',
  async (stage) => {
    const { SYSTEM_PROMPT_DYNAMIC_BOUNDARY: boundary } = stage.sdk;
    const preset = { type: 'preset', preset: 'claude_code' } as const;
    return {
      'a text': await systemOf(stage, 'You are a sailor.'),
      'a list with a boundary': await systemOf(stage, ['You are a sailor.', boundary, 'The sea is calm.']),
      'the preset with more, without its dynamic parts': await systemOf(stage, {
        ...preset,
        append: 'The sea is calm.',
        excludeDynamicSections: true,
      }),
    };
  },
  {
    'a text': SAME,
    'a list with a boundary': SAME,
    'the preset with more, without its dynamic parts': SAME,
  },
);

compare(
  '[U-2] options that reach the API',
  async (stage) => {
    const asked: string[][] = [];
    writeMemory(stage);
    stage.say(text('Hello.'));
    const { messages, thrown } = await stage.run('Hi.', {
      spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) => {
        asked.push([command, String(cwd), typeof env.PATH, String(signal.aborted)]);
        return spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'ignore'] });
      },
      settingSources: ['user'],
      model: 'opus',
      effort: 'low',
      thinking: { type: 'enabled', budgetTokens: 3000 },
      tools: ['Read', 'Bash'],
      disallowedTools: ['Bash'],
      allowedTools: ['Read'],
      additionalDirectories: [stage.home.root],
      title: 'A voyage',
      betas: ['context-1m-2025-08-07'],
      includeHookEvents: true,
      maxBudgetUsd: 1,
      settings: { env: { OF_SETTINGS: '1' } },
      agents: { cook: { description: 'Cooks.', prompt: 'You cook.', tools: ['Read'] } },
    });
    const { model, tools, thinking, body } = stage.lastRequest;
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    return {
      'the model': model,
      'the tools': tools,
      thinking: thinking ?? 'none',
      effort: body.output_config ?? 'none',
      'the init message': init?.type === 'system' && init.subtype === 'init' ? [init.tools, init.agents, init.cwd] : 0,
      'settingSources: memory the model reads': memoryIn(stage),
      'a process of the caller: what the function gets': asked,
      'a process of the caller: the end': [messages.at(-1)?.type, errorOf(thrown, stage.sdk), await stage.left()],
      'the working directories': JSON.stringify(body).includes(stage.home.root),
    };
  },
  {
    'the model': SAME,
    'the tools': ['DeferredToolPlaceholder', 'Read'],
    thinking: SAME,
    effort: SAME,
    'the init message': SAME,
    'settingSources: memory the model reads': ['user'],
    'a process of the caller: what the function gets': [['<cli>', '<project>', 'string', 'false']],
    'a process of the caller: the end': ['result', 'nothing', 0],
    'the working directories': true,
  },
);

compare(
  '[U-2] settings and memory files without settingSources',
  async (stage) => {
    writeMemory(stage);
    mkdirSync(stage.file('.claude'));
    writeFileSync(stage.file('.claude/settings.json'), JSON.stringify({ model: 'haiku' }));
    const { model: _, ...options } = stage.options();
    stage.say(text('Hello.'));
    await readAll(stage.sdk.query({ prompt: 'Hi.', options }));
    return { 'memory the model reads': memoryIn(stage), 'model of the project': stage.lastRequest.model };
  },
  { 'memory the model reads': ['user', 'project'], 'model of the project': 'claude-haiku-5-5' },
);

const MEMORY = { user: 'The user likes boats.', project: 'The project is a boat.' };

function writeMemory(stage: Stage): void {
  writeFileSync(join(stage.home.configDir, 'CLAUDE.md'), MEMORY.user);
  writeFileSync(stage.file('CLAUDE.md'), MEMORY.project);
}

/** The memory files that the model has read. */
function memoryIn(stage: Stage): string[] {
  const sent = JSON.stringify(stage.lastRequest.body);
  return Object.entries(MEMORY).flatMap(([name, line]) => (sent.includes(line) ? [name] : []));
}

/** The system prompt of the model, without the line that differs between entry points. */
async function systemOf(stage: Stage, systemPrompt: NonNullable<Options['systemPrompt']>): Promise<unknown> {
  stage.say(text('Hello.'));
  await stage.run('Hi.', { systemPrompt });
  const { system } = stage.lastRequest.body;
  const blocks = Array.isArray(system) ? system : [];
  return blocks.slice(1);
}
