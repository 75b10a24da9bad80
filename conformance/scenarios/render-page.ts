import { fileURLToPath } from 'node:url';
import { releases } from '../../scripts/fetch/cli.mjs';
import type { Measured } from '../permissions/measured.ts';
import { renderDecisions } from '../permissions/render-decisions.ts';
import { type Difference, differences } from './differences.ts';
import type { Scenario } from './scenario.ts';

const { pinned, tested } = releases();
const both = tested.join(' and ');

/** The path of the page. */
export const pageFile: string = fileURLToPath(new URL('../../docs/guides/scripted-vs-real.md', import.meta.url));

/** Renders the page that compares the scripted CLI with the real one; `write-page.ts` writes it. */
export function renderPage(scenarios: readonly Scenario[], measured: Measured): string {
  return `# The scripted CLI and the real one

The [scripted CLI](../../packages/testkit/README.md) imitates ${pinned}. A test compares it with the real one: every scenario below is
written once, as a script, and runs four times: on the scripted CLI in memory, on the scripted CLI as a process, and on the real CLI
${both}, for which \`asApiScript()\` turns the same script into replies of the
[fake API](../../packages/testkit/README.md). The test compares everything the CLI writes to stdout: the kinds of messages and control
requests, their order, and the exit code. Recordings of the real CLI are also compared, field by field.

The test fails on a difference that is not in the table, and on one in the table that no longer exists. This page is generated from
the scenarios, the table, and the measurement of permission decisions below.

## Differences

| release | scenario | frame | how | why |
| --- | --- | --- | --- | --- |
${differences.map(row).join('\n')}

## Scenarios

| scenario | what happens |
| --- | --- |
${scenarios.map(({ name, about }) => `| [${name}](../../conformance/scenarios/cases/${name}.ts) | ${about} |`).join('\n')}

${renderDecisions(measured)}
## Not compared

- Text, numbers, times and ids: a scripted agent has its own.
- \`rate_limit_event\`, and automatic compaction: not triggered on the real CLI. They follow its documentation. The heartbeat of a slow
  hook arrives after 30 s; a recording was compared.
- Whether a model exists. The real CLI (2.1.325) asks the API about a name that is neither an alias nor in its list; the scripted one
  accepts every name. \`onRequest('set_model', { error })\` refuses.
- The effects of tools. A scripted tool call returns the scripted result, and touches no file.
- When entries of a conversation are mirrored. Both mirror the call of a permission request after the request; the scripted CLI 5 ms
  later, the real one 20 to 150 ms.
- A call that is asked again before the CLI has read the handshake. The scripted CLI always reads it first, so its hooks are called.
- Commands of hooks in \`settings\`: the scripted CLI does not run them. It recognises the one with which a session resumes a parked
  request.
- A prompt after the result \`tool_deferred_unavailable\` (2.1.325 then asks again), a deferred call of a subagent or of a command in
  the background, and plans in files.
- CLI releases before 2.1.197, and releases after ${pinned} until the test includes them.
`;
}

function row({ releases, scenarios, kind, how, sometimes, why }: Difference): string {
  const where = scenarios === 'all' ? 'all' : scenarios.join(', ');
  const what = sometimes === true ? `${words[how]}, sometimes` : words[how];
  return `| ${releases.join(', ')} | ${where} | \`${kind}\` | ${what} | ${why} |`;
}

const words: Readonly<Record<Difference['how'], string>> = {
  'only-real': 'only the real CLI sends it',
  'only-scripted': 'only the scripted CLI sends it',
  repeats: 'how often in a row',
  anywhere: 'how often, and where',
};
