import { text, toolUse } from '@coxswain/testkit';
import { isAssistant, type QueryOptions, UnsupportedOptionError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { buildArgv } from '../../packages/sdk/src/cli/argv.ts';
import { argvTable } from '../../packages/sdk/src/cli/argv-table.ts';
import { FLAGS_SINCE } from '../../packages/sdk/src/cli/flags-since.ts';
import { compareVersions } from '../../packages/sdk/src/cli/version.ts';
import type { QueryOptions as SourceOptions } from '../../packages/sdk/src/options/groups.ts';
import { flagSets } from '../harness/flag-sets.ts';
import { isolatedHome } from '../harness/isolated-home.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

describe('the sets of options', () => {
  it('[C-6] make the argv table send every row and every flag it has', async () => {
    await using home = await isolatedHome('http://127.0.0.1:9');
    const sets = flagSets(home, { id: 'id', answer: 'uuid' }).map(({ options }) => options);
    const unsent = argvTable.filter((row) => sets.every((options) => row.encode(inSources(options)) === undefined));
    expect(unsent.map(({ option, flag }) => `${option} ${flag}`)).toEqual([]);

    const sent = new Set(sets.flatMap((options) => flagsOf(options)));
    const flags = argvTable.flatMap((row) => [row.flag, ...(row.overflow ? [row.overflow.flag] : [])]);
    expect(flags.filter((flag) => !sent.has(flag))).toEqual([]);
  });
});

describe.concurrent.each(testedVersions)('%s', (version) => {
  it('[C-6, O-2] accepts every flag', async () => {
    await using scene = await openScene(
      (request) =>
        request.tools.includes('StructuredOutput') ? toolUse('StructuredOutput', { answer: 1 }) : text('ok'),
      { version },
    );
    const first = scene.query('first');
    const { items } = await first.collect();
    const earlier = { id: first.sessionId ?? '', answer: items.find(isAssistant)?.uuid ?? '' };

    const refused: string[] = [];
    for (const { name, options } of flagSets(scene.home, earlier)) {
      if (argvOf(options).gated.some(({ since }) => compareVersions(version, since) < 0)) continue;
      const stream = scene.query('hello', options);
      const { terminalError } = await stream.collect();
      const { exitCode } = await stream.closed;
      // The CLI's own words name the flag.
      if (terminalError || exitCode !== 0)
        refused.push(`${name}: ${terminalError?.message ?? `exit code ${exitCode}`}`);
    }
    expect(refused).toEqual([]);
  });
});

describe.concurrent('2.1.197', () => {
  it('[C-6] is not started with a flag it lacks', async () => {
    await using scene = await openScene([text('never')], { version: '2.1.197' });
    const events: string[] = [];
    const stream = scene.query('hello', { forwardSubagentText: true, onEvent: ({ type }) => events.push(type) });
    const error = await stream.started.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnsupportedOptionError);
    expect(error).toMatchObject({
      code: 'unsupported-option',
      option: 'forwardSubagentText',
      flag: '--forward-subagent-text',
      found: '2.1.197',
      required: FLAGS_SINCE['--forward-subagent-text'],
    });
    await expect(stream.text()).rejects.toBe(error);
    expect(events).not.toContain('started');
    expect(scene.processes()).toEqual([]);
  });
});

function flagsOf(options: QueryOptions): string[] {
  return argvOf(options).args.map((arg) => arg.replace(/=.*/s, ''));
}

function argvOf(options: QueryOptions) {
  return buildArgv('query', inSources(options), { platform: process.platform });
}

// The types of the package and those of its sources are the same, but the compiler takes them for two.
function inSources(options: QueryOptions): SourceOptions {
  return options as unknown as SourceOptions;
}
