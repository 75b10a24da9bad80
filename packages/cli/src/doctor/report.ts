import { plural } from '../render/format.ts';
import { fit, harmless } from '../render/measure.ts';
import type { Paint } from '../render/paint.ts';
import type { Finding } from './finding.ts';

/** How findings are shown. */
export interface ReportLook {
  readonly paint: Paint;
  readonly columns: number;
  /** Lists every searched place instead of one line. */
  readonly verbose: boolean;
}

/** The lines of one finding, with its next step. */
export function findingLines(finding: Finding, look: ReportLook): string[] {
  const { paint } = look;
  const mark = {
    ok: paint.green('✓'),
    warning: paint.yellow('!'),
    failed: paint.red('✗'),
    skipped: paint.dim('–'),
  }[finding.status];
  return [
    `${mark} ${paint.bold(finding.check)}: ${harmless(finding.message)}`,
    ...[...(finding.details ?? []), ...placeLines(finding, look)].map((line) => paint.dim(`    ${harmless(line)}`)),
    ...(finding.next === undefined ? [] : [`  ${paint.cyan('→')} ${finding.next}`]),
  ];
}

function placeLines({ places = [], status }: Finding, { columns, verbose }: ReportLook): string[] {
  const verb = status === 'ok' ? 'skipped' : 'searched';
  if (places.length < 2) return places.map((place) => `${verb} ${place}`);
  if (verbose) return [`${verb}, in order:`, ...places.map((place) => `  ${place}`)];
  return [fit(`${verb} ${places.length} places (--verbose lists them): ${places.join(', ')}`, columns - INDENT)];
}

const INDENT = 4;

/** The verdict on all findings. */
export function verdict(findings: readonly Finding[], paint: Paint): string {
  const bad = findings.filter(({ status }) => status === 'failed').length;
  const odd = findings.filter(({ status }) => status === 'warning').length;
  if (bad > 0) return paint.red(`${plural(bad, 'problem')} to fix.`);
  return paint.green(odd > 0 ? `It works, with ${plural(odd, 'warning')}.` : 'Everything works.');
}
