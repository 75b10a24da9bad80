import { describe, expect, it } from 'vitest';
import { bisect } from '../../src/bisect/bisect.ts';
import { parseCondition } from '../../src/bisect/condition.ts';
import type { ProbedRequest } from '../../src/bisect/probe.ts';

const REQUEST: ProbedRequest = {
  model: 'opus',
  effort: 'medium',
  thinking: undefined,
  maxTokens: 32_000,
  betas: ['a-1'],
  tools: ['Bash', 'Read'],
  deferredTools: [],
  system: 'At most 25 words and no more.',
  messages: '[]',
};
const RELEASES = Array.from({ length: 60 }, (_, index) => `2.1.${index + 60}`);

/** Searches for releases whose effort is medium. */
function search(isMedium: (patch: number) => boolean, more: { broken?: readonly number[]; maxSamples?: number } = {}) {
  const probes: string[] = [];
  const found = bisect({
    from: '2.1.60',
    to: '2.1.119',
    when: parseCondition('request.effort == "medium"'),
    releases: RELEASES,
    maxSamples: more.maxSamples,
    async probe(release) {
      probes.push(release);
      const patch = Number(release.split('.')[2]);
      if (more.broken?.includes(patch)) throw new Error('does not start');
      return { ...REQUEST, effort: isMedium(patch) ? 'medium' : undefined };
    },
  });
  return found.then((bisection) => ({ ...bisection, probes }));
}

describe('bisect()', () => {
  it('[N-8] finds the first release, with as many probes as halving needs', async () => {
    const { changes, probes } = await search((patch) => patch >= 97);
    expect(changes).toEqual([{ before: '2.1.96', first: '2.1.97', holds: true }]);
    expect(probes.length).toBeLessThanOrEqual(8);
  });

  it('[N-8] finds a change and its reversal although both ends agree', async () => {
    const { changes } = await search((patch) => patch >= 68 && patch < 93);
    expect(changes.map(({ first, holds }) => `${first} ${holds}`)).toEqual(['2.1.68 true', '2.1.93 false']);
  });

  it('[N-8] stops after maxSamples probes if all agree', async () => {
    const { changes, probes } = await search(() => false, { maxSamples: 9 });
    expect(changes).toEqual([]);
    expect(probes).toHaveLength(9);
  });

  it('[N-8] skips releases that cannot be probed, and lists them', async () => {
    const { changes, skipped } = await search((patch) => patch >= 97, { broken: [60, 96, 119] });
    expect(changes).toEqual([{ before: '2.1.95', first: '2.1.97', holds: true }]);
    expect(skipped.map(({ release }) => release).sort()).toEqual(['2.1.119', '2.1.60', '2.1.96'].sort());
    await expect(search(() => true, { broken: RELEASES.map((_, index) => index + 60) })).rejects.toThrow(
      /does not start/,
    );
  });
});

describe('parseCondition()', () => {
  it.each([
    ['request.effort == "medium"', true],
    ['request.effort != "medium"', false],
    ['request.maxTokens == 32000', true],
    ['request.system contains "25 words and"', true],
    ['request.tools contains "Bash" and request.tools lacks "Edit"', true],
    ['request.tools contains "Ba"', false],
    ['request.thinking is unset', true],
    ['request.effort is set and request.thinking is set', false],
  ])('[N-8] reads %s', (text, expected) => {
    expect(parseCondition(text)(REQUEST)).toBe(expected);
  });

  it.each([
    ['effort = medium', 'is not a condition'],
    ['request.efort == "medium"', 'Did you mean effort?'],
    ['request.effort == medium', 'must be a text in double quotes or a number'],
    ['request.effort is medium', 'set or unset'],
    ['request.constructor contains "x"', 'is not a known field'],
  ])('[N-8] refuses %s', (text, message) => {
    expect(() => parseCondition(text)).toThrow(message);
  });
});
