import { describe, expect, it } from 'vitest';
import { sectionOf, withSection } from '../release/changelog.mjs';
import { checkLater, nextDropIn, withVersions } from '../release/versions.mjs';

const CHANGELOG = '# Changelog\n\nText.\n\n## 0.3.0 (unreleased)\n\n- New.\n\n## 0.2.0 (2026-11-01)\n\n- First.\n';

describe('the versions of a release', () => {
  it('are written into a package and into what depends on it', () => {
    const versions = new Map([
      ['coxswain', '0.3.0'],
      ['@coxswain/cli', '0.3.0'],
    ]);
    const manifest = {
      name: '@coxswain/cli',
      version: '0.2.0',
      dependencies: { coxswain: '0.2.0', commander: '14.0.3' },
      peerDependencies: { coxswain: '^0.2.0' },
    };
    expect(withVersions(manifest, versions)).toEqual({
      name: '@coxswain/cli',
      version: '0.3.0',
      dependencies: { coxswain: '0.3.0', commander: '14.0.3' },
      peerDependencies: { coxswain: '^0.3.0' },
    });
    expect(manifest.version).toBe('0.2.0');
  });

  it.each([
    ['0.2.0', '0.2.1'],
    ['0.2.9', '0.10.0'],
    ['0.9.9', '1.0.0'],
  ])('increase: %s, %s', (before, after) => {
    expect(() => checkLater(before, after)).not.toThrow();
    expect(() => checkLater(after, before)).toThrow(`${before} is not later than ${after}.`);
    expect(() => checkLater(after, after)).toThrow();
  });

  it.each(['0.3', 'v0.3.0', '0.3.0-beta', '', '0.3.0.0'])('have three numbers, not "%s"', (version) => {
    expect(() => checkLater('0.2.0', version)).toThrow(`"${version}" is not a version such as 0.3.0.`);
  });

  it('of the drop-in count its releases for one official SDK', () => {
    expect(nextDropIn('0.3.32700')).toBe('0.3.32701');
    expect(() => nextDropIn('0.3.32799')).toThrow('last of 100');
    expect(() => nextDropIn('next')).toThrow('not a version');
  });
});

describe('the changelog of a release', () => {
  it('has a section with the date and the notes', () => {
    expect(sectionOf(CHANGELOG, '0.2.0')).toEqual({ released: '2026-11-01', notes: '- First.' });
    expect(sectionOf(CHANGELOG, '0.3.0')).toEqual({ released: undefined, notes: '- New.' });
  });

  it('is refused without the section, with an empty one, or with something other than a date', () => {
    expect(() => sectionOf(CHANGELOG, '0.4.0')).toThrow('no section "## 0.4.0 (<date>)"');
    expect(() => sectionOf('## 0.4.0 (2026-11-01)\n\n## 0.3.0 (2026-10-01)\n\n- Old.', '0.4.0')).toThrow('is empty');
    expect(() => sectionOf('## 0.4.0 (soon)\n\n- New.', '0.4.0')).toThrow('must end with a date');
  });

  it('gets a section at the top, once', () => {
    const added = withSection(CHANGELOG, '0.4.0');
    expect(added).toContain('Text.\n\n## 0.4.0 (unreleased)\n\n## 0.3.0 (unreleased)');
    expect(withSection(added, '0.4.0')).toBe(added);
  });
});
