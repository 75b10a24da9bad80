// What programs read instead of the HTML: each page as Markdown at its own address with `.md`, and llms.txt, the list of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @typedef {{ readonly group: string, readonly title: string, readonly path: string, readonly text: string }} PlainPage */

/**
 * @param {string} folder is copied to the root of the site
 * @param {readonly PlainPage[]} pages
 */
export function writePlainPages(folder, pages) {
  const files = new Map(pages.map((page) => [fileOf(page.path), page.text]));
  files.set('llms.txt', listOf(pages));
  files.set('llms-full.txt', pages.map(({ text }) => text.trimEnd()).join('\n\n'));
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/**
 * The list of the pages in the form of llmstxt.org.
 * @param {readonly PlainPage[]} pages
 */
export function listOf(pages) {
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) =>
    [`## ${group}`, '', ...pages.filter((page) => page.group === group).map(entryOf)].join('\n'),
  );
  return [
    '# Coxswain',
    '> An open Claude Agent SDK for TypeScript that drives the Claude Code CLI.',
    ...groups,
    '',
  ].join('\n\n');
}

/** @param {PlainPage} page */
function entryOf({ title, path, text }) {
  const summary = firstSentence(text);
  return `- [${title}](/${fileOf(path)})${summary === '' ? '' : `: ${summary}`}`;
}

/** @param {string} path */
function fileOf(path) {
  return `${path === '/' ? 'index' : path.slice(1)}.md`;
}

/** @param {string} text */
function firstSentence(text) {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '').split('\n\n');
  const paragraph = body.find((block) => /^(?!```)[A-Za-z*`[]/.test(block.trim())) ?? '';
  const plain = paragraph
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
