import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

describe.each(['package-lock.json', 'tools/package-lock.json'])('%s', (file) => {
  it('has the binaries of all platforms, because npm would install none on platforms that are missing', () => {
    const { packages }: Lock = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
    const places = new Set(Object.keys(packages));
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !foldersAbove(place).some((at) => places.has(at + name))),
    );
    expect(missing).toEqual([]);
  });
});

/** Where Node looks for the dependencies of the package at `place`. */
function foldersAbove(place: string): string[] {
  const parts = place.split('node_modules/');
  const folders = parts.map((_, depth) => `${parts.slice(0, depth + 1).join('node_modules/')}/node_modules/`);
  return ['node_modules/', ...folders.map((folder) => folder.replace(/^\/|(?<=\/)\//g, ''))];
}
