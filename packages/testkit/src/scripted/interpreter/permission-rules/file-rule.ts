import { posix } from 'node:path';
import type { Fit } from './rule.ts';

/** The base of relative paths. */
export interface Base {
  readonly cwd: string;
  /** The home directory, if it is known. */
  readonly home: string | undefined;
}

/** The location of a path with regard to permissions. */
export type Place =
  /** In the working directory or an added one. */
  | 'inside'
  /** Like `inside`, with a name that starts with a dot: the CLI protects some of those. */
  | 'hidden'
  | 'outside';

/** The location of a file. */
export function placeOf(path: string, base: Base, added: readonly string[]): Place {
  const absolute = resolved(path, base);
  if (absolute === undefined) return 'outside';
  const project = [base.cwd, ...added].find(
    (directory) => absolute === directory || absolute.startsWith(`${directory}/`),
  );
  if (project === undefined) return 'outside';
  return /(^|\/)\.[^/]/.test(absolute.slice(project.length)) ? 'hidden' : 'inside';
}

/**
 * True if a path matches the condition of a rule, which has the syntax of a .gitignore: a name without a slash matches at any
 * depth, also after `./`; `/` starts at the working directory, `~/` at home, `//` at the root.
 */
export function fileFits(condition: string, path: string, base: Base): Fit {
  if (!/^(?:~\/)?[\w./*-]+$/.test(condition) || condition.includes('..')) return 'unknown';
  const absolute = resolved(path, base);
  if (absolute === undefined) return 'unknown';
  if (condition.startsWith('//')) return patternFits(condition.slice(2), absolute.slice(1), true);
  const [start, pattern] = condition.startsWith('~/') ? [base.home, condition.slice(1)] : [base.cwd, condition];
  if (start === undefined) return 'unknown';
  if (!absolute.startsWith(`${start}/`)) return 'no';
  return patternFits(pattern.replace(/^\.?\//, ''), absolute.slice(start.length + 1), pattern.startsWith('/'));
}

/** A pattern with a slash in the middle is anchored; everything below a matching folder matches. */
function patternFits(pattern: string, path: string, anchored: boolean): Fit {
  const folder = pattern.replace(/\/$/, '');
  const start = anchored || folder.includes('/') ? '^' : '^(?:.*/)?';
  const source = folder.replace(/\*\*\/|\/\*\*|\*\*|\*|[.-]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '/**') return '/.*';
    if (token === '**') return '.*';
    return token === '*' ? '[^/]*' : `\\${token}`;
  });
  return new RegExp(`${start}${source}(?:/|$)`).test(path) ? 'yes' : 'no';
}

/** The absolute path; undefined in an unknown home directory. */
function resolved(path: string, { cwd, home }: Base): string | undefined {
  if (!path.startsWith('~')) return posix.resolve(cwd, path);
  return home !== undefined && path.startsWith('~/') ? posix.resolve(home, path.slice(2)) : undefined;
}
