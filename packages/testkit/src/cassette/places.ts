import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { StartRequest } from 'coxswain/transport';

/**
 * The folders of one machine that must not appear in a cassette: each is recorded as a mark such as `<<coxswain:cwd>>` and
 * replaced by the matching folder of the machine that plays it.
 */
export class Places {
  readonly #marks: readonly (readonly [pattern: RegExp, mark: string])[];
  readonly #paths: ReadonlyMap<string, string>;

  constructor({ cwd, env }: Pick<StartRequest, 'cwd' | 'env'>) {
    const home = env.HOME || env.USERPROFILE || homedir();
    const folder = cwd || process.cwd();
    const named: (readonly [name: string, path: string | undefined])[] = [
      ['cwd', folder],
      ['config', env.CLAUDE_CONFIG_DIR || join(home, '.claude')],
      ['tmp', env.TMPDIR || env.TEMP],
      ['home', home],
    ];
    const known = named.flatMap(([name, path]) => (isFolder(path) ? [{ name, path: trimmed(path) }] : []));
    this.#paths = new Map([...known.map(({ name, path }) => [name, path] as const), ['cwd-slug', slug(folder)]]);
    this.#marks = [
      ...known
        .flatMap(({ name, path }) => spellings(path).map((spelling) => ({ name, spelling })))
        // Nested folders go first.
        .sort((a, b) => b.spelling.length - a.spelling.length)
        .map(({ name, spelling }) => [pathPattern(spelling), mark(name)] as const),
      ...[...new Set([folder, real(folder)])].map((path) => [slugPattern(path), mark('cwd-slug')] as const),
    ];
  }

  /** Replaces this machine's folders by marks. */
  hide(text: string): string {
    let hidden = text;
    for (const [pattern, name] of this.#marks) hidden = hidden.replace(pattern, () => name);
    return hidden;
  }

  /** Replaces the marks by this machine's folders, JSON-escaped inside JSON. */
  show(text: string, isJson: boolean): string {
    if (!text.includes('<<coxswain:')) return text;
    return text.replace(/<<coxswain:([a-z-]+)>>/g, (whole, name: string) => {
      const path = this.#paths.get(name);
      if (path === undefined) return whole;
      return isJson ? JSON.stringify(path).slice(1, -1) : path;
    });
  }
}

function mark(name: string): string {
  return `<<coxswain:${name}>>`;
}

function isFolder(path: string | undefined): path is string {
  return path !== undefined && trimmed(path).length > 1;
}

function trimmed(path: string): string {
  return path.replace(/[\\/]+$/, '');
}

/** As given, as the system resolves it, and both as JSON escapes them. */
function spellings(path: string): string[] {
  return [...new Set([path, real(path)].flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Rules out the start of a longer name: `/tmp/a` is not in `/tmp/ab` and not in `/tmp/a.txt`. */
function pathPattern(path: string): RegExp {
  return new RegExp(`(?<![\\w.-])${escaped(path)}(?!\\.?[\\w-])`, 'g');
}

/** The CLI derives the name of a project's folder from its path. */
function slug(path: string): string {
  return trimmed(path).replace(/[^a-zA-Z0-9]/g, '-');
}

function slugPattern(path: string): RegExp {
  return new RegExp(`(?<=[\\\\/])${escaped(slug(path))}(?![\\w-])`, 'g');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
