import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
const source = new URL('../../packages/sdk/src/', import.meta.url);

describe('docs/architecture.md', () => {
  it('names every folder and every file of packages/sdk/src itself', () => {
    const there = readdirSync(source, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.name,
    );
    expect(there.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('names only files that exist', () => {
    const named = [...page.matchAll(/`((?:[a-z-]+\/)+[a-z.-]+\.ts)`/g)].map(([, path]) => String(path));
    expect(named.length).toBeGreaterThan(30);
    const root = new URL('../../', import.meta.url);
    expect(named.filter((path) => !existsSync(new URL(path, source)) && !existsSync(new URL(path, root)))).toEqual([]);
  });
});
