import { plural } from '../render/format.ts';
import { harmless } from '../render/measure.ts';
import type { Paint } from '../render/paint.ts';
import type { Finding } from './finding.ts';

/** One finding, line by line, with its next step. */
export function findingLines(finding: Finding, paint: Paint): string[] {
  const mark = {
    ok: paint.green('✓'),
    warning: paint.yellow('!'),
    failed: paint.red('✗'),
    skipped: paint.dim('–'),
  }[finding.status];
  return [
    `${mark} ${paint.bold(finding.check)}: ${harmless(finding.message)}`,
    ...(finding.details ?? []).map((line) => paint.dim(`    ${harmless(line)}`)),
    ...(finding.next === undefined ? [] : [`  ${paint.cyan('→')} ${finding.next}`]),
  ];
}

/** What all findings come to. */
export function verdict(findings: readonly Finding[], paint: Paint): string {
  const bad = findings.filter(({ status }) => status === 'failed').length;
  const odd = findings.filter(({ status }) => status === 'warning').length;
  if (bad > 0) return paint.red(`${plural(bad, 'problem')} to mend.`);
  return paint.green(odd > 0 ? `It works; ${plural(odd, 'thing')} could be better.` : 'Everything works.');
}
