import type { FailedRehearsal, Rehearsal } from '@coxswain/rehearsal';
import { groupDifferences, leftOut, summarize } from '@coxswain/rehearsal';
import { harmless } from '../render/measure.ts';
import { table } from '../render/table.ts';
import { columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';

/** The report for a terminal: the sentence, the differences, and what was not rehearsed. */
export function textReport(
  results: readonly (Rehearsal | FailedRehearsal)[],
  { color, quiet }: { readonly color?: boolean; readonly quiet?: boolean },
  terminal: Terminal,
): string {
  const paint = paintFor(terminal.stdout, terminal.env, color);
  const { sentence, conversations, failed } = summarize(results);
  const groups = groupDifferences(results);
  const sign = failed > 0 ? paint.red('✗') : groups.length === 0 ? paint.green('✓') : paint.yellow('≠');
  const headline = `${sign} ${paint.bold(sentence)} ${paint.dim(`(${conversations} ${conversations === 1 ? 'conversation' : 'conversations'})`)}`;
  if (quiet) return `${headline}\n`;
  const rows = groups.map(({ example, times }) => [
    times === 1 ? '' : `${times}×`,
    harmless(example.subject).slice(0, 60),
    example.before,
    example.after,
    harmless(example.reason ?? ''),
  ]);
  const shown =
    rows.length === 0
      ? []
      : ['', ...table(['', 'what', 'before', 'after', 'reason'], rows, paint, columnsOf(terminal.stdout))];
  const left = leftOut(results).map((line) => paint.dim(`  ${harmless(line)}`));
  return [headline, ...shown, ...(left.length === 0 ? [] : ['', 'Not rehearsed:', ...left]), ''].join('\n');
}
