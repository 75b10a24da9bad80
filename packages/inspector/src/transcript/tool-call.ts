import { oneLine } from './cut.ts';
import { fieldsOf, listIn, textIn } from './fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an input that describe a call, the most informative first. */
const INFORMATIVE = [
  ...['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'path', 'description', 'skill', 'prompt'],
];

/** The most informative part of a tool's input on one line. Secrets are removed before cutting: half a secret would not match. */
export function argumentOf(input: Fields, redact: (text: string) => string): string {
  for (const field of INFORMATIVE) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return oneLine(redact(value));
  }
  const plan = textIn(input, 'plan');
  if (plan !== null) return oneLine(redact(headingOf(plan)));
  const question = textIn(fieldsOf(listIn(input, 'questions')[0]), 'question');
  if (question !== null) return oneLine(redact(question));
  const plain = Object.entries(input).filter(([, value]) => typeof value !== 'object');
  return oneLine(redact(plain.map(([name, value]) => `${name}: ${String(value)}`).join(', ')));
}

/** The first line of a Markdown text that is not blank, without its marks. */
function headingOf(markdown: string): string {
  const line = /\S[^\n]*/.exec(markdown.slice(0, 2_000))?.[0] ?? '';
  return line.replace(/^#+\s*/, '').replace(/\*\*|__|`/g, '');
}

/** Whether the tool starts a subagent. */
export function startsSubagent(tool: string): boolean {
  return tool === 'Agent' || tool === 'Task';
}
