import type { Difference } from '../diff/difference.ts';
import type { FailedRehearsal, Rehearsal } from '../rehearse.ts';
import { shownText } from '../trace/shown-text.ts';
import { summarize } from './summary.ts';

/** A report for a comment on a pull request: the sentence, a table of differences, and what was not rehearsed. */
export function markdownReport(results: readonly (Rehearsal | FailedRehearsal)[], title = 'Rehearsal'): string {
  const { sentence, failed } = summarize(results);
  const rows = groupDifferences(results);
  const table = rows.slice(0, MOST_ROWS).map(({ times, example }) => {
    const cells = [
      example.subject,
      example.before,
      example.after,
      example.reason ?? '',
      times === 1 ? '' : `${times} times`,
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  const more = rows.length > MOST_ROWS ? [`\n${rows.length - MOST_ROWS} more are not shown.`] : [];
  const left = leftOut(results);
  return [
    `## ${title}`,
    '',
    `**${sentence}**${counted(results.length - failed)}`,
    ...(rows.length === 0
      ? []
      : ['', '| what | before | after | reason | |', '| --- | --- | --- | --- | --- |', ...table, ...more]),
    ...(left.length === 0
      ? []
      : [
          '',
          `<details><summary>Not rehearsed: ${left.length}</summary>`,
          '',
          ...left.map((one) => `- ${cell(one)}`),
          '',
          '</details>',
        ]),
    '',
  ].join('\n');
}

function counted(rehearsed: number): string {
  if (rehearsed === 0) return '';
  return rehearsed === 1 ? ' One conversation was rehearsed.' : ` ${rehearsed} conversations were rehearsed.`;
}

/** Equal differences of several calls and conversations, once, the most frequent first. */
export function groupDifferences(
  results: readonly (Rehearsal | FailedRehearsal)[],
): readonly { readonly example: Difference; readonly times: number; readonly scenarios: readonly string[] }[] {
  const groups = new Map<string, { example: Difference; times: number; scenarios: string[] }>();
  for (const result of results) {
    if (!('after' in result)) continue;
    for (const difference of result.differences) {
      const key = JSON.stringify([difference.subject, difference.before, difference.after, difference.reason]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { example: difference, times: 1, scenarios: [result.scenario] });
      else {
        group.times += 1;
        if (!group.scenarios.includes(result.scenario)) group.scenarios.push(result.scenario);
      }
    }
  }
  return [...groups.values()].sort((a, b) => b.times - a.times);
}

/** What was not rehearsed, with the conversation. */
export function leftOut(results: readonly (Rehearsal | FailedRehearsal)[]): string[] {
  const all = results.flatMap((result) =>
    'after' in result
      ? result.gaps.map(({ what, turn }) => `${result.scenario}${turn === undefined ? '' : `, turn ${turn}`}: ${what}`)
      : [`${result.scenario}: ${result.failure}`],
  );
  return all.length > MOST_ROWS ? [...all.slice(0, MOST_ROWS), `${all.length - MOST_ROWS} more`] : all;
}

const MOST_ROWS = 200;

/** Text from a conversation must not become markup. */
function cell(text: string): string {
  return (
    shownText(text, 400)
      .replace(/[\\|<>`*_[\]]/g, (sign) => (sign === '<' ? '&lt;' : sign === '>' ? '&gt;' : `\\${sign}`))
      // Neither mentions nor links.
      .replace(/@/g, '@\u200b')
      .replace(/:\/\//g, '&#58;//')
      .replace(/www\./gi, 'www&#46;')
  );
}
