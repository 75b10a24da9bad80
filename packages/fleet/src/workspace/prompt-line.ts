import type { UserContent } from 'coxswain';

/** The first line of a prompt that has text, shortened; empty if there is none. */
export function promptLine(prompt: UserContent, length: number): string {
  const text =
    typeof prompt === 'string' ? prompt : prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const line =
    text
      .split('\n')
      .map((part) => part.replaceAll(/\p{Cc}/gu, '').trim())
      .find((part) => part !== '') ?? '';
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`;
}
