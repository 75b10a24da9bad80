import { isCoxswainError } from 'coxswain';
import { harmless } from './measure.ts';
import type { Paint } from './paint.ts';

/** A failure and its next step, line by line. */
export function failureLines(error: unknown, paint: Paint, debug = false): string[] {
  const head = `${paint.red('✗')} `;
  if (!isCoxswainError(error)) return [head + harmless(textOf(error, debug))];
  const [first = '', ...rest] = messageOf(error).split('\n');
  const lines = [head + first, ...rest.map((line) => `  ${line}`)];
  if (error.code === 'process') {
    const tail = error.stderrTail.trim().split('\n').filter(Boolean).slice(-5);
    lines.push(...tail.map((line) => paint.dim(`  stderr: ${harmless(line)}`)));
  }
  if (isUnknownConversation(error)) lines.push('  `cox sessions list --all` lists the conversations.');
  else if (DOCTOR.has(error.code)) lines.push('  `cox doctor` shows which places were searched, and what is wrong.');
  lines.push(paint.dim(`  error code: ${error.code}`));
  if (debug)
    lines.push(
      ...JSON.stringify(error.toJSON(), undefined, 2)
        .split('\n')
        .map((line) => paint.dim(`  ${line}`)),
    );
  return lines;
}

/** The flag that sets an option: `maxTurns` is `--max-turns`, `allowedTools` is `--allow`. */
export function flagFor(option: string): string {
  const name = option.split(/[.[]/, 1)[0] ?? option;
  return OTHER_FLAGS[name] ?? `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const OTHER_FLAGS: Readonly<Record<string, string>> = {
  allowedTools: '--allow',
  disallowedTools: '--deny',
  outputSchema: '--schema',
  addDirs: '--add-dir',
  mcpConfigPath: '--mcp-config',
  timeoutMs: '--timeout',
  forkSession: '--fork',
  prompt: 'the prompt',
};

/** Errors for which `cox doctor` helps. */
const DOCTOR: ReadonlySet<string> = new Set([
  'cli-not-found',
  'unsupported-cli-version',
  'unknown-version',
  'version-detection',
  'spawn',
  'initialization',
  'initialization-timeout',
  'cli-exited-during-init',
]);

/** The CLI refuses to start if the conversation of `--resume` does not exist. */
function isUnknownConversation(error: Error & { readonly code: string }): boolean {
  if (error.code === 'session-not-found') return true;
  return error.code === 'cli-exited-during-init' && error.message.includes('No conversation found');
}

function messageOf(error: Error & { readonly code: string }): string {
  if (error.code !== 'options' || !('problems' in error) || !Array.isArray(error.problems)) {
    return harmless(error.message)
      .replaceAll(/(?:pass )?cli: '(pinned|global)'/g, 'use --cli $1')
      .replace('pass its path as cli,', 'pass its path as --cli,')
      .replace(/\btimeoutMs \((\d+) ms\)/, (_, ms: string) => `--timeout (${Number(ms) / 1000} s)`)
      .replace(/ listSessions\(\) [^.]*\./, '');
  }
  const problems: unknown[] = error.problems;
  return ['Invalid options:', ...problems.map(problemLine)].join('\n');
}

function problemLine(problem: unknown): string {
  const { path, message }: Readonly<Record<string, unknown>> = { ...Object(problem) };
  const words = harmless(String(message)).replace(/\b([a-z]+[A-Z]\w+): true\b/g, (_, name: string) => flagFor(name));
  return `${flagFor(String(path))}: ${words}`;
}

function textOf(error: unknown, debug: boolean): string {
  if (!(error instanceof Error)) return String(error);
  return debug ? (error.stack ?? error.message) : error.message;
}
