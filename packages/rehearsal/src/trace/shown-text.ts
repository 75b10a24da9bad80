import { withoutSecretShapes } from '@coxswain/shared/secret-shapes';
import type { RecordedCall } from '../scenario/scenario.ts';

/** A text as reports show it: on one line, cut, without secrets and without control characters. */
export function shownText(text: string, longest = 160): string {
  const line = withoutSecrets(text.slice(0, 20_000))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these would act on the terminal that shows the report.
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** The subject of a call: its command, its path, or its input. */
export function shownInput({ name, input }: RecordedCall, nameFolders: (text: string) => string): string {
  const subject = SUBJECTS.map((field) => input[field]).find((value) => typeof value === 'string');
  // The content of files does not belong in a report.
  const whole = FILE_TOOLS.has(name) ? '' : JSON.stringify(input);
  return shownText(nameFolders(typeof subject === 'string' ? subject : whole));
}

const SUBJECTS = ['command', 'file_path', 'notebook_path', 'url', 'pattern', 'query', 'description', 'skill'];
const FILE_TOOLS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Read']);

function withoutSecrets(text: string): string {
  return SHAPES.reduce((clean, shape) => clean.replace(shape, '$1[redacted]'), withoutSecretShapes(text));
}

/** Secrets that are common in commands. */
const SHAPES: readonly RegExp[] = [
  /()\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_)[A-Za-z0-9_-]{10,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /()\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g,
  /(\b[\w.-]*(?:key|token|secret|passw(?:or)?d|passphrase|credential)["']?\s*[=:]\s*["']?)[^\s"'&]{4,}/gi,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,100}:)[^\s@/]{1,200}(?=@)/gi,
];
