import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** A file of the page. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Its name contains a hash, so its content never changes. */
  readonly immutable: boolean;
}

/** The built page is beside the bundle; from the sources it is in dist/. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.includes('/dist/') ? './page' : '../../dist/page', import.meta.url),
);

/**
 * Reads all files of the page, by path. They are served from memory and looked up by exact path, so a request cannot
 * reach any other file.
 */
export function readPage(folder: string = FOLDER): ReadonlyMap<string, PageFile> {
  if (!existsSync(join(folder, 'index.html'))) return new Map([['index.html', NOT_BUILT]]);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(folder, file).split(sep).join('/'), pageFile(file)]));
}

function pageFile(path: string): PageFile {
  return made(readFileSync(path), extname(path), path.includes(`${sep}assets${sep}`));
}

function made(bytes: Uint8Array, extension: string, immutable: boolean): PageFile {
  const type = TYPES[extension] ?? 'application/octet-stream';
  return { body: new Uint8Array(bytes), gzipped: new Uint8Array(gzipSync(bytes)), type, immutable };
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

const NOT_BUILT: PageFile = made(
  new TextEncoder().encode(
    '<!doctype html><title>Inspector</title><p>The page has not been built: run npm run build.</p>',
  ),
  '.html',
  false,
);
