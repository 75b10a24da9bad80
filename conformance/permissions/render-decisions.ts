import { describeCall } from './case.ts';
import { type Comparison, compareAll, isSame } from './compare.ts';
import type { Measured } from './measured.ts';

/** The part of the page about permissions, from the measurement. */
export function renderDecisions(measured: Measured): string {
  const compared = compareAll(measured);
  const open = compared.filter(({ scripted }) => scripted === undefined);
  const same = compared.filter(isSame).length;
  const [pinned = '', ...others] = measured.releases;
  const cases = [...new Set(compared.map((each) => each.in))];
  return `## Permission decisions

Which calls run, which are asked about and which are refused was measured: ${compared.length.toLocaleString('en')} calls in ${cases.length} sessions with different rules
and modes, each on ${measured.releases.join(' and ')}. The test kit decides ${same.toLocaleString('en')} of them, all like both releases. It does not decide the other ${open.length}: a
run in which a script makes such a call ends with an error that names the call, the rules and the mode. Either state the decision in
the script, as \`useTool(name, input, { permission: 'ask' })\`, or let the real CLI decide, with \`startFakeApi(asApiScript(script))\`.

A statement in the script replaces what the CLI would do without rules; a rule or a mode that decides the call still applies. What
would be asked is refused when nobody can be asked: without \`canUseTool\`, or in the mode \`dontAsk\`.

| session | calls | decided alike | not decided |
| --- | --- | --- | --- |
${cases.map((each) => row(compared.filter((one) => one.in === each))).join('\n')}

\`npm run do -- permissions\` measures again. A test compares a part of the measurement with ${pinned} in every run, and all of it with
${[pinned, ...others].join(' and ')} in the long form.

### Calls that the test kit does not decide

What the real CLI did with them${others.length > 0 ? `, ${pinned} first where the releases differ` : ''}:

${cases.flatMap((each) => undecided(open.filter((one) => one.in === each))).join('\n')}
`;
}

function row(compared: readonly Comparison[]): string {
  const [first] = compared;
  const open = compared.filter(({ scripted }) => scripted === undefined).length;
  return `| ${first?.in.name.replaceAll('*', '\\*')} | ${compared.length} | ${compared.filter(isSame).length} | ${open} |`;
}

function undecided(open: readonly Comparison[]): string[] {
  const [first] = open;
  if (first === undefined) return [];
  const byOutcome = grouped(open);
  const parts = [...byOutcome].map(
    ([outcome, some]) => `${outcome}: ${some.map(({ call }) => code(describeCall(call))).join(', ')}`,
  );
  return [`- ${first.in.name.replaceAll('*', '\\*')}: ${parts.join('; ')}.`];
}

function grouped(open: readonly Comparison[]): Map<string, Comparison[]> {
  const groups = new Map<string, Comparison[]>();
  for (const each of open) groups.set(outcomeOf(each), [...(groups.get(outcomeOf(each)) ?? []), each]);
  return groups;
}

function outcomeOf({ real }: Comparison): string {
  return [...new Set(Object.values(real))].join(' or ');
}

function code(text: string): string {
  const shown = text.replaceAll('\n', '\\n');
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}
