// Keeps the code blocks of the README and the guides equal to regions of files that are type-checked and run:
//   <!-- snippet: examples/readme/query.ts#query -->   right above a ts block, and // #region query … // #endregion in the file.
//   <!-- snippet: examples/container/Dockerfile#* -->   right above a dockerfile block: the whole file.
// node scripts/docs/snippets.mjs updates the blocks from the files; with --check it fails if one is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BLOCK =
  /^(?:<!-- snippet: (?<path>[^#\s]+)#(?<region>\S+) -->\n)?```(?<language>ts|dockerfile)\n(?<code>[\s\S]*?)^```$/gm;

/** The pages whose ts blocks must all be snippets. */
export function snippetPages() {
  const guides = readdirSync(join(ROOT, 'docs/guides')).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', 'packages/sdk/README.md', 'docs/quick-start.md', 'docs/migration.md'];
  return [...pages, ...guides.map((name) => `docs/guides/${name}`)];
}

/**
 * A page with its blocks updated, and the problems of blocks without a source.
 * @param {string} page
 * @param {(path: string) => string} read
 */
export function renderPage(page, read = (path) => readFileSync(join(ROOT, path), 'utf8')) {
  /** @type {string[]} */
  const problems = [];
  const text = read(page).replace(BLOCK, (block, path, region, language, code) => {
    if (path === undefined) {
      problems.push(`${page}: a ${language} block is not a snippet: ${code.split('\n')[0]}`);
      return block;
    }
    const found = regionOf(read(path), region);
    if (found !== undefined) return `<!-- snippet: ${path}#${region} -->\n\`\`\`${language}\n${found}\`\`\``;
    problems.push(`${page}: ${path} has no region ${region}`);
    return block;
  });
  return { text, problems };
}

/**
 * The lines of a region without the indentation they share, or the whole file.
 * @param {string} source
 * @param {string} name
 */
function regionOf(source, name) {
  if (name === '*') return source;
  const lines = source.split('\n');
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const end = lines.findIndex((line, index) => index > start && line.trim() === '// #endregion');
  if (start === -1 || end === -1) return undefined;
  const body = lines.slice(start + 1, end);
  const indent = Math.min(...body.filter((line) => line !== '').map((line) => line.search(/\S/)));
  return body.map((line) => `${line.slice(indent)}\n`).join('');
}

/**
 * Copies the blocks of all pages from the files, or compares them; returns what is wrong.
 * @param {{ check: boolean }} options
 */
export function updateSnippets({ check }) {
  return snippetPages().flatMap((page) => {
    const { text, problems } = renderPage(page);
    const outdated = text !== readFileSync(join(ROOT, page), 'utf8');
    if (outdated && !check) writeFileSync(join(ROOT, page), text);
    return outdated && check ? [...problems, `${page} is out of date: run npm run docs.`] : problems;
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = updateSnippets({ check: process.argv.includes('--check') });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
