import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IsolatedHome } from './isolated-home.ts';

/** The content of all conversations on disk in a home; empty while the CLI creates or moves the files. */
export function transcriptsOf({ configDir }: IsolatedHome): string {
  const root = join(configDir, 'projects');
  try {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
    return files.map((file) => readFileSync(join(root, file), 'utf8')).join('');
  } catch {
    return '';
  }
}
