import { fileURLToPath } from 'node:url';
import { type Difference, differences } from './differences.ts';
import type { Scenario } from './scenario.ts';

/** Where the page lies. */
export const pageFile: string = fileURLToPath(new URL('../../docs/guides/scripted-vs-real.md', import.meta.url));

/** The page that says how close the scripted CLI is to the real one; `write-page.ts` writes it. */
export function renderPage(scenarios: readonly Scenario[]): string {
  return `# The scripted CLI and the real one

The [scripted CLI](../../packages/testkit/README.md) plays 2.1.325. How well it does is tested, not promised: every scenario
below is written once, as a script, and played four times: by the scripted CLI in memory, by the scripted CLI as a process,
and by the real CLI 2.1.325 and 2.1.197, for which \`asApiScript()\` turns the same script into the words of the
[fake API](../../packages/testkit/README.md). Everything the CLI writes to stdout is compared: which kinds of messages and
control requests come, in which order, and with which code it leaves. Recordings of the real CLI are compared besides, field by field.

The test fails on a difference that is not in the table, and on one in the table that is gone. This page is made from both.

## Differences

| release | scenario | frame | how | why |
| --- | --- | --- | --- | --- |
${differences.map(row).join('\n')}

## Scenarios

| scenario | what happens |
| --- | --- |
${scenarios.map(({ name, about }) => `| [${name}](../../conformance/scenarios/cases/${name}.ts) | ${about} |`).join('\n')}

## Not compared

- Words, numbers, times and ids: a scripted agent makes up its own.
- \`rate_limit_event\`, and compaction that happens by itself: not tried on the real CLI. They are written from its
  documentation. The heartbeat of a slow hook comes after 30 s; a recording was compared.
- What a tool really does. A scripted tool call gives the result it is told to, and touches no file.
- The CLI before 2.1.197, and after 2.1.325 until this test has seen it.
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
