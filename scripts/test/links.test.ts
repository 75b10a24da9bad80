import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { groups } from '../../docs/.vitepress/sidebar.mjs';
import { anchorsIn, isExternal, linksIn, withLinks } from '../docs/links.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Every page of the repository, including uncommitted ones. */
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((path) => path.endsWith('.md') && !path.startsWith('.') && existsSync(join(ROOT, path)));

describe('the pages of the repository', () => {
  const anchors = new Map<string, readonly string[]>();
  const anchorsOf = (path: string): readonly string[] => {
    if (!anchors.has(path)) anchors.set(path, anchorsIn(read(path)));
    return anchors.get(path) ?? [];
  };

  it('are found', () => {
    expect(pages).toContain('README.md');
    expect(pages).toContain('docs/guides/queries.md');
    expect(pages.length).toBeGreaterThan(25);
  });

  it.each(pages)('%s has no dead links', (page) => {
    const dead = linksIn(read(page)).filter((link) => {
      if (isExternal(link)) return false;
      const [path = '', anchor] = link.split('#');
      // An absolute path belongs to the site.
      const target = path.startsWith('/')
        ? `docs${path}.md`
        : path === ''
          ? page
          : posix.join(posix.dirname(page), decodeURI(path));
      if (!existsSync(join(ROOT, target))) return true;
      if (anchor === undefined) return false;
      return statSync(join(ROOT, target)).isDirectory() || !anchorsOf(target).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('are all in the sidebar of the site, if they belong to the documentation', () => {
    const listed = groups.flatMap((group) => group.pages.map(([, page]) => page));
    const missing = pages.filter((page) => page.startsWith('docs/') && !listed.includes(page));
    expect(missing.sort()).toEqual(['docs/README.md', 'docs/index.md']);
    expect(listed.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

/** The examples that a script of package.json runs. */
const DEMOS: Readonly<Record<string, string>> = { demo: 'npm run -s demo', 'demo-ui': 'npm run -s demo:ui' };

/** The examples without `--real`, according to their rows. */
const SCRIPTED_ONLY = ['sessions-on-disk', 'demo-ui'];
/** Examples of features that only the real CLI has. */
const REAL_ONLY = ['isolated', 'isolated-egress'];

describe('the list of examples', () => {
  const rows = [...read('examples/README.md').matchAll(/^\| \[([\w-]+)\]\(([\w-]+)\.ts\) \|.*\| `([^`]+)` \|$/gm)];
  /** Parts of other examples. */
  const parts = [
    ...['agent', 'approval-files', 'demo-keys', 'demo-screen', 'demo-ui-agents', 'demo-ui-browser'],
    ...['sample-sessions', 'shell-transport', 'trace-tree'],
  ];

  it('has every example, with the command that runs it', () => {
    const files = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));
    const stories = files.map((name) => name.slice(0, -'.ts'.length)).filter((name) => !parts.includes(name));
    expect(rows.map(([, title]) => title).sort()).toEqual(stories.sort());
    for (const [, title, file, command] of rows) {
      expect(title).toBe(file);
      expect(command).toBe(DEMOS[file ?? ''] ?? `node --import tsx examples/${file}.ts`);
    }
    expect(stories.length).toBeGreaterThanOrEqual(12);
  });

  it('matches the examples: they start with their description, support --real, and are run by the tests', () => {
    const tests = readdirSync(join(ROOT, 'examples/test')).map((name) => read(`examples/test/${name}`));
    for (const [, name = ''] of rows) {
      const source = read(`examples/${name}.ts`);
      expect(source, name).toMatch(/^\/\*\*/);
      const runs = [`run('${name}')`, `'examples/${name}.ts'`, `'../${name}.ts'`];
      expect(
        tests.some((test) => runs.some((run) => test.includes(run))),
        name,
      ).toBe(true);
      if (![...SCRIPTED_ONLY, ...REAL_ONLY].includes(name)) expect(source, name).toContain('pickAgent(');
    }
  });
});

describe('linksIn', () => {
  it('finds links and pictures, but ignores code and comments', () => {
    const page = [
      'See [a](a.md), ![b](b.svg "title") and [`c`](c.md#d).',
      '`[no](no.md)` <!-- [no](no.md) --> <img src="e.svg">',
      '```md\n[no](no.md)\n```',
      '[f]: f.md',
    ].join('\n');
    expect(linksIn(page)).toEqual(['a.md', 'b.svg', 'c.md#d', 'e.svg', 'f.md']);
    expect(withLinks(page, (link) => `/${link}`)).toContain('See [a](/a.md), ![b](/b.svg "title")');
    expect(withLinks(page, () => 'x')).toContain('`[no](no.md)`');
  });
});

describe('anchorsIn', () => {
  it('makes anchors like GitHub', () => {
    const page =
      '# A. Title, and more\n## `cox run`\n### Over & out\n## `cox run`\n```sh\n# no heading\n```\n## [Link](x.md)s';
    expect(anchorsIn(page)).toEqual(['a-title-and-more', 'cox-run', 'over--out', 'cox-run-1', 'links']);
  });
});
