import { createHash } from 'node:crypto';

/**
 * The branch of a conversation. Two keys never share one, also on systems that ignore the case of letters: a key that is not a plain
 * lower-case name gets a hash.
 */
export function branchName(prefix: string, key: string): string {
  return `${prefix}${folderName(key)}`;
}

/** A name for a file or a part of a branch that is different for each key. */
export function folderName(key: string): string {
  if (PLAIN.test(key) && !key.endsWith('.lock') && !key.includes('..') && !HASHED.test(key)) return key;
  const readable = key.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return `${readable.slice(0, 60).toLowerCase() || 'key'}-${hash}`;
}

const PLAIN = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/;

/** The form of a name with a hash: a key that looks like it must not have the name of another key. */
const HASHED = /-[0-9a-f]{16}$/;
