import { readFileSync } from 'node:fs';
import { compareVersions } from '@coxswain/shared/version';
import { describe, expect, it } from 'vitest';
import { SUPPORTED_SINCE } from '../../src/callbacks/abilities.ts';
import { FEATURES_SINCE } from '../../src/cli/feature-gate.ts';
import { MINIMUM_VERSION, PINNED_VERSION, USUAL_VERSION } from '../../src/cli/version.ts';
import { flagTable } from '../../src/options/flag-table.ts';

interface Feature {
  readonly id: string;
  readonly group: string;
  readonly since?: string;
  readonly lackedBy?: string;
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));
const { features, releases, newest }: { features: Feature[]; releases: Release[]; newest: string } =
  read('docs/compatibility.json');
const sinceOf = (id: string): string | undefined => features.find((feature) => feature.id === id)?.since;

interface Release {
  readonly version: string;
  readonly nonJsonLines: number;
  readonly verdicts: Readonly<Record<string, string>>;
}

describe('the release constants', () => {
  it('[C-5, K-5] match the measurements of the conformance run: the minimum runs queries, sessions and stores', () => {
    const { oldest }: { oldest: string } = read('conformance/releases.json');
    expect(oldest).toBe(MINIMUM_VERSION);
    for (const id of ['query', 'session', 'store:turns']) expect(sinceOf(id)).toBe(MINIMUM_VERSION);
  });

  it('[C-5, K-5] match the measured release of each feature', () => {
    const measured = Object.keys(FEATURES_SINCE).map((id) => [id, sinceOf(id)]);
    expect(Object.fromEntries(measured)).toEqual(FEATURES_SINCE);
  });

  it('[H-4, K-5] match the measured release of each hook outcome, and are complete', () => {
    const late = features.filter(({ group, lackedBy }) => group === 'hook decisions' && lackedBy !== undefined);
    const { stop, ...measured } = SUPPORTED_SINCE;
    expect(Object.fromEntries(late.map(({ id, since }) => [id, since]))).toEqual(measured);
    // Not in the table, because the SDK compensates for it; conformance/callbacks tests both releases.
    expect(compareVersions(stop, PINNED_VERSION)).toBeLessThanOrEqual(0);
  });

  it('[C-5] cover every feature that a session option, a hook event or a control request needs', () => {
    const gated = /^(hook:|session:(?!fork|mcp|partial|resume|steer|capabilities)|rewind_files|sdk-tools$|canUseTool$)/;
    const late = features.filter(({ id, group, since }) => {
      const isGated = gated.test(id) || group === 'control requests';
      return isGated && since !== undefined && compareVersions(since, MINIMUM_VERSION) > 0;
    });
    expect(late.filter(({ id }) => !Object.hasOwn(FEATURES_SINCE, id)).map(({ id }) => id)).toEqual([]);
    expect(late.length).toBeGreaterThan(15);
  });

  it('[C-6, K-5] match the measured release of each flag, and of no other', () => {
    const late = features.filter(({ group, lackedBy }) => group === 'flags' && lackedBy !== undefined);
    const measured = new Map(late.map(({ id, since }) => [id, since]));
    const sent = flagTable.map(({ flag, since }) => [flag, since]);
    expect(sent).toEqual(flagTable.map(({ flag }) => [flag, measured.get(flag)]));
  });

  it('[C-4] use the oldest release of the whole suite as the usual release', () => {
    const { tested }: { tested: string[] } = read('conformance/releases.json');
    expect(tested.toSorted(compareVersions)[0]).toBe(USUAL_VERSION);
  });
});

describe('the table of releases', () => {
  it('[K-5] has the oldest and the newest release, some between, and no non-JSON lines', () => {
    const versions = releases.map(({ version }) => version);
    expect(versions).toEqual(expect.arrayContaining([MINIMUM_VERSION, newest]));
    expect(versions.length).toBeGreaterThanOrEqual(7);
    expect(releases.filter(({ nonJsonLines }) => nonJsonLines > 0)).toEqual([]);
  });

  it('[C-5, K-5] is consistent: a feature works from its first release on, and not before', () => {
    const odd = releases.flatMap(({ version, verdicts }) =>
      features.flatMap(({ id, since }) => {
        const word = verdicts[id];
        if (word === undefined || since === undefined) return [];
        const works = word === 'yes' || word.startsWith('differs');
        return works === compareVersions(version, since) >= 0 ? [] : [`${version} ${id}: ${word}`];
      }),
    );
    expect(odd).toEqual([]);
  });

  it('[C-5, C-6] leads to a refusal with the required release for every detectable missing feature', () => {
    for (const { version, verdicts } of releases) {
      for (const [id, since] of Object.entries(FEATURES_SINCE)) {
        if (compareVersions(version, since) >= 0) continue;
        // Older releases also answer it, at the cost of API requests.
        if (id === 'get_context_usage:summary') continue;
        expect.soft([version, id, verdicts[id]]).toEqual([version, id, expect.stringMatching(/^needs \d/)]);
      }
    }
  });
});
