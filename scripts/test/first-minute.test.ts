import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

describe('the first minute with the repository', () => {
  it('npm install prints no warning: every install script is allowed or denied, and warnings about engines are silent', () => {
    const { packages } = JSON.parse(read('package-lock.json'));
    const scripts = Object.entries<{ hasInstallScript?: boolean; optional?: boolean }>(packages)
      .filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(Object.keys(JSON.parse(read('package.json')).allowScripts)).toEqual(expect.arrayContaining(scripts));
    expect(read('.npmrc')).toMatch(/^loglevel=error$/m);
  });

  it('the fleet states the Node release that it needs, and the one that its queue requires', () => {
    const { engines, version } = JSON.parse(read('node_modules/pg-boss/package.json'));
    const [asked = ''] = /\d+\.\d+/.exec(engines.node) ?? [];
    const readme = read('packages/fleet/README.md').replace(/\s+/g, ' ');
    expect(readme).toContain('Node 20.19 or newer');
    expect(readme).toContain(`pg-boss ${version}, requires ${asked}`);
  });

  it('SECURITY.md exists, and the README links to it', () => {
    expect(existsSync(`${root}SECURITY.md`)).toBe(true);
    expect(read('README.md')).toContain('(SECURITY.md)');
  });
});
