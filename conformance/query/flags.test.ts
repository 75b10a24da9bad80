import { compareVersions } from '@coxswain/shared/version';
import { type ApiRequest, text, toolUse } from '@coxswain/testkit';
import type { AgentOptions, Message } from 'coxswain';
import { UnsupportedOptionError } from 'coxswain/errors';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildArgv } from '../../packages/sdk/src/cli/argv.ts';
import { flagTable } from '../../packages/sdk/src/options/flag-table.ts';
import type { AgentOptions as SourceOptions } from '../../packages/sdk/src/options/option-types.ts';
import { flagSets } from '../harness/flag-sets.ts';
import { isolatedHome } from '../harness/isolated-home.ts';
import { isTestedNow, pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

describe('the sets of options', () => {
  it('[C-6] make the table of flags send every row and every flag it has', async () => {
    await using home = await isolatedHome('http://127.0.0.1:9');
    const sets = flagSets(home, { id: 'id', answer: 'uuid' }).map(({ options }) => options);
    const unsent = flagTable.filter((row) => sets.every((options) => row.encode(inSources(options)) === undefined));
    expect(unsent.map(({ option, flag }) => `${option} ${flag}`)).toEqual([]);

    const sent = new Set(sets.flatMap((options) => flagsOf(options)));
    const flags = flagTable.flatMap((row) => [row.flag, row.overflow?.flag ?? row.flag]);
    expect(flags.filter((flag) => !sent.has(flag))).toEqual([]);
  });
});

describe.concurrent.each(testedVersions)('%s', (version) => {
  let sets = 0;
  /** Sets with flags that this release lacks. */
  let skipped = 0;
  /** The outcome of each set of options, by name; all tests here share the runs. */
  const ran = new Map<string, { items: readonly Message[]; request: ApiRequest | undefined; failure?: string }>();
  const ranWith = (name: string) => {
    const run = ran.get(name);
    if (run === undefined) throw new Error(`There was no run with the set of options named "${name}".`);
    return run;
  };

  beforeAll(async () => {
    await using scene = await openScene(
      (request) =>
        request.tools.includes('StructuredOutput') ? toolUse('StructuredOutput', { answer: 1 }) : text('ok'),
      { version },
    );
    const first = scene.query('first');
    const { messages: items } = await first.collect();
    const earlier = {
      id: first.sessionId ?? '',
      answer: items.find((message) => message.type === 'assistant')?.uuid ?? '',
    };

    for (const { name, options } of flagSets(scene.home, earlier)) {
      sets += 1;
      if (argvOf(options).gated.some(({ since }) => compareVersions(version, since) < 0)) {
        skipped += 1;
        continue;
      }
      const before = scene.api.conversation.length;
      const stream = scene.query('hello', options);
      const { messages: items, terminalError } = await stream.collect();
      const { exitCode } = await stream.closed;
      const request = scene.api.conversation[before];
      // The CLI's own message names the flag.
      const failure = terminalError?.message ?? (exitCode === 0 ? undefined : `exit code ${exitCode}`);
      ran.set(name, { items, request, ...(failure && { failure }) });
    }
  });

  it('[C-6, O-2] accepts every flag', () => {
    expect([...ran].flatMap(([name, { failure }]) => (failure ? [`${name}: ${failure}`] : []))).toEqual([]);
    // Only the pinned release has all flags; each set that an older one lacks has flags that are newer than it.
    expect(ran.size + skipped).toBe(sets);
    if (version === pinnedVersion) expect(skipped).toBe(0);
  });

  it('[O-2, O-6] passes options for the model to the API', () => {
    expect(ranWith('models, limits and tools').request).toMatchObject({
      model: 'claude-sonnet-4-5',
      system: expect.stringContaining('-starts with a dash\n\nBe brief.'),
      tools: ['Bash', 'Read', 'StructuredOutput'],
      headers: { 'anthropic-beta': expect.stringContaining('context-1m-2025-08-07') },
      body: {
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        output_config: { task_budget: { type: 'tokens', total: 20_000 } },
      },
    });
  });

  it('[O-2] shows options for the environment in init', () => {
    const { items, request } = ranWith('places, servers and agents');
    const init = items.find((message) => message.type === 'system' && message.subtype === 'init');
    expect(init).toMatchObject({
      session_id: '44444444-4444-4444-8444-444444444444',
      permissionMode: 'acceptEdits',
      mcp_servers: [{ name: 'plain', status: 'connected' }],
      agents: expect.arrayContaining(['scout']),
    });
    expect(init?.plugins?.map(({ name }) => name)).toContain('example');
    expect(request).toMatchObject({
      system: expect.stringContaining('You look around.'),
      body: { output_config: { effort: 'low' } },
    });
  });

  it('[C-12] takes agents that are too long for the command line', async () => {
    await using scene = await openScene(() => text('ok'), { version });
    const agents = { scout: { description: 'Looks around.', prompt: 'Look closely. '.repeat(20_000) } };
    const { messages } = await scene.query('hello', { agents }).collect();
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    expect(init?.agents).toContain('scout');
  });

  it('[O-2] passes options in files to the API unshortened', () => {
    const { items, request } = ranWith('files');
    expect(request?.system).toContain('You are a test.');
    expect(request?.system.match(/This is said at length\./g)).toHaveLength(6_000);
    expect(
      items
        .find((message) => message.type === 'system' && message.subtype === 'init')
        ?.mcp_servers.map(({ name }) => name),
    ).toEqual(['onDisk', 'private']);
    const builtIn = request?.tools.filter((name) => !name.startsWith('mcp__') && name !== 'DeferredToolPlaceholder');
    expect(builtIn).toEqual([]);
  });
});

describe.concurrent.each(['2.1.197'].filter(isTestedNow))('%s', (version) => {
  it('[C-6] is not started with a flag it lacks', async () => {
    await using scene = await openScene([text('never')], { version });
    const events: string[] = [];
    const stream = scene.query('hello', { forwardSubagentText: true, onEvent: ({ type }) => events.push(type) });
    const error = await stream.started.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnsupportedOptionError);
    expect(error).toMatchObject({
      code: 'unsupported-option',
      option: 'forwardSubagentText',
      flag: '--forward-subagent-text',
      found: version,
      required: flagTable.find(({ flag }) => flag === '--forward-subagent-text')?.since,
    });
    await expect(stream.text()).rejects.toBe(error);
    expect(events).not.toContain('started');
    expect(scene.processes()).toEqual([]);
  });
});

function flagsOf(options: AgentOptions): string[] {
  return argvOf(options).args.map((arg) => arg.replace(/=.*/s, ''));
}

function argvOf(options: AgentOptions) {
  return buildArgv('query', inSources(options), { platform: process.platform });
}

// The types of the package and those of its sources are the same, but the compiler treats them as different.
function inSources(options: AgentOptions): SourceOptions {
  return options as unknown as SourceOptions;
}
