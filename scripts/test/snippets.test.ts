import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderPage, snippetPages } from '../docs/snippets.mjs';

const ROOT = new URL('../..', import.meta.url);

describe('the code in the README and the guides', () => {
  it.each(snippetPages())('%s shows regions of files that are type-checked', (page) => {
    const { text, problems } = renderPage(page);
    expect(problems).toEqual([]);
    expect(readFileSync(new URL(page, ROOT), 'utf8')).toBe(text);
  });
});

describe('renderPage', () => {
  const MARK = '<!-- snippet: a.ts#one -->';
  const SOURCE = 'import x;\n{\n  // #region one\n  if (x) {\n\n    y();\n  }\n  // #endregion\n}\n';
  const render = (block: string): ReturnType<typeof renderPage> =>
    renderPage('page.md', (path) => (path === 'page.md' ? `# Page\n\n${block}\n` : SOURCE));

  it('fills a block from its region, without the indentation', () => {
    const { text, problems } = render(`${MARK}\n\`\`\`ts\nold();\n\`\`\``);
    expect(problems).toEqual([]);
    expect(text).toBe(`# Page\n\n${MARK}\n\`\`\`ts\nif (x) {\n\n  y();\n}\n\`\`\`\n`);
  });

  it('reports a block without a source', () => {
    expect(render('```ts\nmade.up();\n```').problems).toEqual(['page.md: a ts block is not a snippet: made.up();']);
  });

  it('reports a region that does not exist', () => {
    const { text, problems } = render('<!-- snippet: a.ts#two -->\n```ts\nold();\n```');
    expect(problems).toEqual(['page.md: a.ts has no region two']);
    expect(text).toContain('old();');
  });
});
