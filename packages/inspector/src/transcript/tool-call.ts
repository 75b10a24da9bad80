import { oneLine } from './cut.ts';
import { fieldsOf, listIn, textIn } from './fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an input that tell what a call does, the most telling first. */
const TELLING = [
  ...['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'path', 'description', 'skill', 'prompt'],
];

/** The part of a tool's input that tells most, on one line. Secrets are removed before it is cut: the half of one is no match. */
export function argumentOf(input: Fields, redact: (text: string) => string): string {
  for (const field of TELLING) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return oneLine(redact(value));
  }
  const question = textIn(fieldsOf(listIn(input, 'questions')[0]), 'question');
  if (question !== null) return oneLine(redact(question));
  const plain = Object.entries(input).filter(([, value]) => typeof value !== 'object');
  return oneLine(redact(plain.map(([name, value]) => `${name}: ${String(value)}`).join(', ')));
}

/** Whether the tool starts a subagent. */
export function startsSubagent(tool: string): boolean {
  return tool === 'Agent' || tool === 'Task';
}
