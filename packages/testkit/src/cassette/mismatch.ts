import { CassetteError, type Difference } from './cassette-error.ts';
import type { Misfit } from './expectations.ts';

/** The error for a host that writes something other than the recorded host did. */
export function mismatch(file: string, misfit: Misfit, lastLine: number): CassetteError {
  const { line, expected, received, differences } = misfit;
  if (expected === undefined || line === undefined) {
    return new CassetteError(
      `${file}:${lastLine}: the host wrote ${received}, which the rest of the recording does not contain. ${wayOut(file)}`,
      { problem: 'mismatch', file, line: lastLine },
    );
  }
  const what =
    expected === received
      ? `the host wrote ${received}, but not as it was recorded`
      : `in the recording the host writes ${expected} here, but it wrote ${received}`;
  return new CassetteError(`${file}:${line}: ${what}.${shown(differences)} ${wayOut(file)}`, {
    problem: 'mismatch',
    file,
    line,
    differences,
  });
}

/** The error for a command line that differs. */
export function argvMismatch(
  file: string,
  line: number,
  recorded: readonly string[],
  differences: readonly Difference[],
): CassetteError {
  return new CassetteError(
    `${file}:${line}: the CLI was started with different arguments from those recorded (${recorded.join(' ')}).${shown(differences)} ${wayOut(file)}`,
    { problem: 'mismatch', file, line, differences },
  );
}

/** The error for a host that does not do what the recorded host did. */
export function stalled(file: string, line: number, awaited: string, ms: number): CassetteError {
  return new CassetteError(
    `${file}:${line}: the recording continues when the host has ${awaited}, and nothing arrived for ${ms} ms. ` +
      `If the host only needs longer, raise waitMs. ${wayOut(file)}`,
    { problem: 'mismatch', file, line },
  );
}

/** The error for a host that closed its input too early. */
export function inputEnded(file: string, line: number, awaited: string): CassetteError {
  return new CassetteError(
    `${file}:${line}: the host closed its input, but the recording continues when it has ${awaited}. ${wayOut(file)}`,
    { problem: 'mismatch', file, line },
  );
}

/** The error for a `normalise` that throws. */
export function uncomparable(file: string, cause: unknown): CassetteError {
  const message = `What the host wrote could not be compared with ${file}: normalise threw ${String(cause)}. Fix it.`;
  return new CassetteError(message, { problem: 'mismatch', file, cause });
}

function wayOut(file: string): string {
  return `If the change is intended, record it again with recording(${JSON.stringify(file)}), or play it with match: 'loose'.`;
}

/** More would hide the first ones. */
const SHOWN = 5;

function shown(differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  const lines = differences.slice(0, SHOWN).map((difference) => `\n  ${describeDifference(difference)}`);
  const rest = differences.length - lines.length;
  return `${lines.join('')}${rest > 0 ? `\n  and ${rest} more` : ''}\n`;
}

function describeDifference({ path, ...sides }: Difference): string {
  const side = (name: 'recorded' | 'live'): string => (name in sides ? inShort(sides[name]) : 'nothing');
  return `${path === '' ? '' : `${path}: `}recorded ${side('recorded')}, now ${side('live')}`;
}

function inShort(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
