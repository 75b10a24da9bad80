import { readFileSync } from 'node:fs';
import { type JsonObject, objectOf } from '../json.ts';

/** The settings that a command line carries: `--settings` with JSON, or with the path of a file. */
export function settingsGiven(
  argv: readonly string[],
  content: string | undefined = contentGiven(argv),
): JsonObject | undefined {
  if (content === undefined) return undefined;
  try {
    return objectOf(JSON.parse(content));
  } catch {
    return undefined;
  }
}

function contentGiven(argv: readonly string[]): string | undefined {
  const value = argv[argv.indexOf('--settings') + 1];
  if (!argv.includes('--settings') || value === undefined) return undefined;
  if (value.trimStart().startsWith('{')) return value;
  try {
    return readFileSync(value, 'utf8');
  } catch {
    return undefined;
  }
}
