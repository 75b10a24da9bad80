import type { Difference } from '../diff/difference.ts';
import type { FailedRehearsal, Rehearsal } from '../rehearse.ts';
import { shownText } from '../trace/shown-text.ts';
import { HTML_STYLE } from './html-style.ts';
import { groupDifferences, leftOut } from './markdown.ts';
import { type ConversationPart, stepsOf } from './steps.ts';
import { summarize } from './summary.ts';

type Result = Rehearsal | FailedRehearsal;

/** A report as one HTML file, without scripts and without requests: the sentence, the differences, and each of them at its step. */
export function htmlReport(results: readonly Result[], title = 'Rehearsal'): string {
  const { sentence } = summarize(results);
  const state = stateOf(results);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${safe(title)}: ${safe(sentence)}</title>
<style>${HTML_STYLE}</style>
</head>
<body class="${state}">
<header>
<p class="kind">${safe(title)}</p>
<h1><span class="sign" aria-hidden="true">${SIGNS[state]}</span> ${safe(sentence)}</h1>
<p class="about">${about(results)}</p>
${bar(results)}
</header>
<main>
${differencesTable(results)}
${conversations(results)}
${notRehearsed(results)}
</main>
</body>
</html>
`;
}

const SIGNS = { same: '✓', different: '≠', failed: '✗' } as const;

function stateOf(results: readonly Result[]): keyof typeof SIGNS {
  if (results.some((result) => !('after' in result))) return 'failed';
  return results.some((result) => 'after' in result && result.differences.length > 0) ? 'different' : 'same';
}

/** What was compared with what. */
function about(results: readonly Result[]): string {
  const done = rehearsed(results);
  const sides = [...new Set(done.map(({ before, after }) => `${named(before)} → ${named(after)}`))].slice(0, 5);
  const count = `${results.length} ${results.length === 1 ? 'conversation' : 'conversations'}`;
  return [count, ...sides].map(safe).join(' · ');
}

function named({ stage, release }: Rehearsal['before']): string {
  return release === undefined || stage.includes(release) ? stage : `${stage} (${release})`;
}

/** The share of the calls that differ, as a picture. */
function bar(results: readonly Result[]): string {
  const done = rehearsed(results);
  const all = done.reduce((sum, { before }) => sum + before.calls.length, 0);
  const changed = done.reduce(
    (sum, { differences }) => sum + new Set(differences.flatMap(({ call }) => (call === undefined ? [] : [call]))).size,
    0,
  );
  if (all === 0) return '';
  // One call among thousands has to be visible.
  const share = changed === 0 ? 0 : Math.max(1, Math.round((changed / all) * 1000) / 10);
  const words = `${changed} of ${all} calls come out differently`;
  return `<div class="bar" role="img" aria-label="${words}"><i style="width:${share}%"></i></div><p class="legend">${words}</p>`;
}

function differencesTable(results: readonly Result[]): string {
  const groups = groupDifferences(results);
  if (groups.length === 0) return '';
  const rows = groups
    .slice(0, MOST_ROWS)
    .map(
      ({ example, times, scenarios }) =>
        `<tr><td class="times">${times}×</td><th scope="row"><code>${safe(example.subject)}</code></th><td>${change(example)}</td><td class="where">${safe(scenarios.slice(0, 3).join(', '))}${scenarios.length > 3 ? `, ${scenarios.length - 3} more` : ''}</td></tr>`,
    );
  const more = groups.length > MOST_ROWS ? `<p>${groups.length - MOST_ROWS} more are not shown.</p>` : '';
  return `<section><h2>What comes out differently</h2><table><thead><tr><td></td><th scope="col">what</th><th scope="col">before → now</th><th scope="col">where</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>${more}</section>`;
}

/** Each conversation, those with differences first and open. */
function conversations(results: readonly Result[]): string {
  const all = [...rehearsed(results)].sort(
    (a, b) => Number(b.differences.length > 0) - Number(a.differences.length > 0),
  );
  if (all.length === 0) return '';
  const shown = all.slice(0, MOST_CONVERSATIONS).map((rehearsal, index) => {
    const count = rehearsal.differences.length;
    const words = count === 0 ? 'no difference' : `${count} ${count === 1 ? 'difference' : 'differences'}`;
    const { whole, parts } = stepsOf(rehearsal);
    return `<details${count > 0 && index < MOST_OPEN ? ' open' : ''} class="${count > 0 ? 'changed' : 'same'}"><summary><b>${safe(rehearsal.scenario)}</b> <span>${words}</span></summary>
${list(whole)}${parts.map(part).join('\n')}
</details>`;
  });
  const more = all.length > MOST_CONVERSATIONS ? `<p>${all.length - MOST_CONVERSATIONS} more are not shown.</p>` : '';
  return `<section><h2>Conversations</h2>${shown.join('\n')}${more}</section>`;
}

function part({ turn, prompt, differences, calls }: ConversationPart): string {
  const heading = turn === undefined ? '' : `<span class="turn">Turn ${turn}</span> `;
  const same = calls.filter(({ differences: own }) => own.length === 0);
  const left = new Set(same.slice(MOST_SAME));
  const steps = calls
    .filter((one) => !left.has(one))
    .map(({ call, differences: own }) => {
      const subject = `<code>${safe(call.input === '' ? call.tool : `${call.tool}(${call.input})`)}</code>`;
      if (own.length === 0) return `<li>${subject} <span class="outcome">${safe(call.outcome)}</span></li>`;
      return `<li class="changed">${subject}${own.map((one) => `<div>${change(one)}</div>`).join('')}</li>`;
    });
  if (left.size > 0) steps.push(`<li class="outcome">${left.size} more calls without a difference</li>`);
  return `<div class="part"><p class="prompt">${heading}${safe(prompt)}</p>${list(differences)}<ol>${steps.join('\n')}</ol></div>`;
}

function list(differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  const items = differences.map(
    (one) => `<li class="changed"><code>${safe(one.subject)}</code><div>${change(one)}</div></li>`,
  );
  return `<ul>${items.join('\n')}</ul>`;
}

function change({ before, after, reason, afterDivergence, change: kind }: Difference): string {
  const because = reason === undefined || reason === '' ? '' : `<span class="reason">${safe(reason)}</span>`;
  const marked = afterDivergence ? '<span class="reason">after an earlier difference of this turn</span>' : '';
  return `<span class="before">${safe(before)}</span> → <strong class="${safe(kind)}">${safe(after)}</strong>${because}${marked}`;
}

function notRehearsed(results: readonly Result[]): string {
  const left = leftOut(results);
  if (left.length === 0) return '';
  const items = left.map((one) => `<li>${safe(one)}</li>`).join('\n');
  return `<section><h2>Not rehearsed</h2><details${left.length <= 10 ? ' open' : ''}><summary>${left.length} ${left.length === 1 ? 'part' : 'parts'}</summary><ul>${items}</ul></details></section>`;
}

function rehearsed(results: readonly Result[]): readonly Rehearsal[] {
  return results.filter((result): result is Rehearsal => 'after' in result);
}

/** Text from a conversation: without secrets and control characters, and never markup. */
function safe(text: string): string {
  return shownText(text, 400).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const MOST_ROWS = 200;
const MOST_CONVERSATIONS = 500;
const MOST_OPEN = 10;
/** Calls of a turn that are shown although they do not differ. */
const MOST_SAME = 100;
