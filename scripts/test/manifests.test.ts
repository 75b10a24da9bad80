import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filled, TEXTS } from '../release/bump.mjs';
import { DROP_IN, publishedPackages, releaseVersion } from '../release/packages.mjs';
import { REPOSITORY } from '../release/repository.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = publishedPackages();
const folders = packages.map(({ folder }) => folder.slice(root.length).replaceAll('\\', '/'));
const version = releaseVersion(packages);

describe.each(packages.map(({ manifest, folder }, index) => ({ manifest, folder, path: folders[index] ?? '' })))(
  'the package.json of $manifest.name',
  ({ manifest, folder, path }) => {
    it('names the repository, its folder, a homepage and where to report bugs', () => {
      expect(manifest).toMatchObject({
        repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: path },
        homepage: `${REPOSITORY}/tree/main/${path}#readme`,
        bugs: { url: `${REPOSITORY}/issues` },
      });
    });

    it('has everything that npm shows, and the Node that it needs', () => {
      expect(manifest).toMatchObject({
        description: expect.stringMatching(/^.{20,150}\.$/),
        license: 'MIT',
        type: 'module',
        engines: { node: '>=20.19' },
        keywords: expect.arrayContaining(['claude', 'claude-code', 'agent']),
        publishConfig: { access: 'public' },
      });
    });

    it('publishes its licence and its README', () => {
      expect(manifest.files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']));
      for (const file of ['README.md', 'LICENSE']) expect(existsSync(join(folder, file)), file).toBe(true);
    });

    it('runs no script at installation', () => {
      const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      expect(Object.keys(scripts).filter((name) => /install|prepare|prepack|postpack/.test(name))).toEqual([]);
    });

    it('depends on exactly this release of our other packages, and on none that is not published', () => {
      const { dependencies = {}, peerDependencies = {} } = manifest;
      const ours = Object.entries({ ...dependencies, ...peerDependencies }).filter(([name]) => /coxswain/.test(name));
      const published = new Map(packages.map((one) => [one.manifest.name, one.manifest.version]));
      for (const [name, range] of ours) expect(range, name).toBe(published.get(name));
    });
  },
);

describe('the packages', () => {
  it('have one version, except the drop-in', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages.map(({ manifest }) => manifest.name)).toContain(DROP_IN);
  });

  it('are published after those that they depend on', () => {
    const names = packages.map(({ manifest }) => manifest.name);
    for (const { manifest } of packages) {
      const needed = Object.keys(manifest.dependencies ?? {}).filter((name) => names.includes(name));
      for (const name of needed) expect(names.indexOf(name)).toBeLessThan(names.indexOf(manifest.name));
    }
  });

  it('have the version that the pages name', () => {
    for (const [file, text] of TEXTS)
      expect(readFileSync(join(root, file), 'utf8'), file).toContain(filled(text, version));
  });
});

describe('the address of the repository', () => {
  it.each(['CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', '.github/ISSUE_TEMPLATE/config.yml'])(
    'is the same in %s',
    (file) => {
      const [, owner] = /github\.com\/([^/]+)/.exec(REPOSITORY) ?? [];
      const named =
        readFileSync(join(root, file), 'utf8').match(/https:\/\/github\.com\/[\w-]*coxswain[\w-]*\/[\w-]+/g) ?? [];
      expect(owner).toBeDefined();
      for (const address of named) expect(address).toBe(REPOSITORY);
    },
  );
});
