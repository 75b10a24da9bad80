import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { readMeasured } from '../permissions/measured.ts';
import { allScenarios } from './all-scenarios.ts';
import { outdated, type Pair, withoutKnown } from './compare.ts';
import { parked } from './differences.ts';
import { pageFile, renderPage } from './render-page.ts';
import { asProcess, inMemory, onRealCli, type Trace } from './run-scenario.ts';

const scenarios = await allScenarios();

describe('a scenario on the scripted CLI', () => {
  it.concurrent.each(scenarios)('[K-1] $name: the same frames in memory and as a process', async (scenario) => {
    const [process, memory] = [await asProcess(scenario), await inMemory(scenario)];
    expect(ordered(process, scenario.name)).toEqual(ordered(memory, scenario.name));
    expect(process.filter(isResponse)).toHaveLength(memory.filter(isResponse).length);
  });
});

describe.each(testedVersions)('a scenario on the scripted CLI and on %s', (release) => {
  // By scenario: a repeated one counts once.
  const pairs = new Map<string, Pair>();

  it.concurrent.each(scenarios)('[K-1] $name: the same frames in the same order', async (scenario) => {
    const [scripted, real] = await Promise.all([inMemory(scenario), onRealCli(scenario, release)]);
    const pair = { scenario: scenario.name, release, scripted, real };
    pairs.set(scenario.name, pair);
    const without = withoutKnown(pair);
    expect(without.scripted).toEqual(without.real);
  });

  it('[K-1] every listed difference still exists', () => {
    expect(pairs.size).toBe(scenarios.length);
    expect(outdated([...pairs.values()])).toEqual([]);
  });
});

describe('the table of differences', () => {
  it('[K-1] matches the documentation', () => {
    expect(readFileSync(pageFile, 'utf8')).toBe(renderPage(scenarios, readMeasured()));
  });
});

/**
 * The frames whose place does not depend on timing. Entries are mirrored a few milliseconds after they were added, and a session
 * with a parked request asks for the costs so far while the CLI continues: other frames may precede or follow these.
 */
function ordered(trace: Trace, scenario: string): Trace {
  return trace.filter((kind) => kind !== 'transcript_mirror' && !(parked.includes(scenario) && isResponse(kind)));
}

function isResponse(kind: string): boolean {
  return kind === 'control_response success';
}
