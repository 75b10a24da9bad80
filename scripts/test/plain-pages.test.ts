import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf, writePlainPages } from '../docs/plain-pages.mjs';

const pages = [
  {
    group: 'Start',
    title: 'Quick start',
    path: '/quick-start',
    text: '# Quick start\n\nRead [this](/a.md) first. Then that.\n',
  },
  { group: 'Guides', title: 'Queries', path: '/guides/queries', text: '---\nx: y\n---\n# Queries\n\n```ts\n1\n```\n' },
];

describe('the pages for programs', () => {
  it('are listed by group, with their first sentence', () => {
    expect(listOf(pages).split('\n\n').slice(2)).toEqual([
      '## Start',
      '- [Quick start](/quick-start.md): Read this first.',
      '## Guides',
      '- [Queries](/guides/queries.md)',
      '',
    ]);
  });

  it('are Markdown at the address of the page, and one file with all of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cox-site-'));
    try {
      writePlainPages(folder, pages);
      const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
      expect(read('guides/queries.md')).toBe(pages[1]?.text);
      expect(read('llms.txt')).toBe(listOf(pages));
      expect(read('llms-full.txt')).toContain('Then that.\n\n---');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
