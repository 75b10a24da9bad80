import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { allScenarios } from './all-scenarios.ts';
import { outdated, type Pair, withoutKnown } from './compare.ts';
import { differences } from './differences.ts';
import { pageFile, renderPage } from './render-page.ts';
import { asProcess, inMemory, onRealCli } from './run-scenario.ts';

const scenarios = await allScenarios();
const pairs: Pair[] = [];

/** All of them on the pinned release, and in the long form on the older one; otherwise there those that it plays differently. */
const scenariosOn = (release: string): typeof scenarios =>
  scenarios.filter(({ name }) => LONG_FORM || release === pinnedVersion || differsIn(release, name));

const differsIn = (release: string, name: string): boolean =>
  differences.some(({ releases, scenarios: where }) => {
    return !releases.includes(pinnedVersion) && releases.includes(release) && where !== 'all' && where.includes(name);
  });

describe('a scenario on the scripted CLI', () => {
  it.concurrent.each(scenarios)('[K-1] $name: the same frames in memory and as a process', async (scenario) => {
    expect(await asProcess(scenario)).toEqual(await inMemory(scenario));
  });
});

describe.each(testedVersions)('a scenario on the scripted CLI and on %s', (release) => {
  it.concurrent.each(scenariosOn(release))('[K-1] $name: the same frames in the same order', async (scenario) => {
    const [scripted, real] = await Promise.all([inMemory(scenario), onRealCli(scenario, release)]);
    const pair = { scenario: scenario.name, release, scripted, real };
    pairs.push(pair);
    const without = withoutKnown(pair);
    expect(without.scripted).toEqual(without.real);
  });
});

describe('the table of differences', () => {
  it('[K-1] lists no difference that no longer exists', () => {
    expect(pairs).toHaveLength(testedVersions.flatMap(scenariosOn).length);
    expect(outdated(pairs)).toEqual([]);
  });

  it('[K-1] matches the documentation', () => {
    expect(readFileSync(pageFile, 'utf8')).toBe(renderPage(scenarios));
  });
});
