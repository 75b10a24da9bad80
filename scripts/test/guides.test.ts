import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { abilitiesOf } from '../../packages/sdk/src/callbacks/abilities.ts';
import { MINIMUM_VERSION, PINNED_VERSION } from '../../packages/sdk/src/cli/version.ts';
import { defaultLimits, defaultSessionLimits, type Limits } from '../../packages/sdk/src/limits.ts';
import { allOptions } from '../docs/option-table.ts';
import { everyRelease } from '../fetch/cli.mjs';

const ROOT = new URL('../..', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
describe('the documentation', () => {
  it('lists every limit with its default', () => {
    const rows = [...read('docs/guides/errors-and-limits.md').matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)];
    const shown = (name: keyof Limits): string => {
      const [query, session] = [defaultLimits[name], defaultSessionLimits[name]].map((value) =>
        value.toLocaleString('en'),
      );
      return query === session ? `${query}` : `${query}; session: ${session}`;
    };
    // The table consists of exactly these names.
    const names = Object.keys(defaultLimits) as (keyof Limits)[];
    expect(Object.fromEntries(rows.map(([, name, value]) => [name, value]))).toEqual(
      Object.fromEntries(names.map((name) => [name, shown(name)])),
    );
  });

  it('names the required and the tested releases', () => {
    const readme = read('README.md');
    expect(readme).toContain(`| Claude Code | ${MINIMUM_VERSION} or newer`);
    expect(readme).toContain(`${PINNED_VERSION} (what \`cli: 'pinned'\` installs)`);
    for (const version of everyRelease()) expect(readme).toContain(version);
  });

  it('names options that exist', () => {
    const table = /## Common options\n([\s\S]*?)\n## /.exec(read('docs/guides/configuration.md'))?.[1] ?? '';
    const named = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? []);
    const known = allOptions().map(({ name }) => name);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('names hook events that exist', () => {
    const table = /## Events\n([\s\S]*?)\n## /.exec(read('docs/guides/hooks.md'))?.[1] ?? '';
    const unknown = abilitiesOf('no such event');
    const named = [...table.matchAll(/^\| [a-z ]+ \| (`[^|]+) \|$/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? []);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => abilitiesOf(name) === unknown)).toEqual([]);
  });
});

/** The anchors of a page's headings, as GitHub makes them. */
