import type { UserContent } from 'coxswain';

/** True for a prompt that the CLI handles as a command, such as `/model`. */
export function isCommand(prompt: UserContent): boolean {
  const [first] =
    typeof prompt === 'string' ? [prompt] : prompt.map((block) => (block.type === 'text' ? block.text : ''));
  return first?.trimStart().startsWith('/') === true;
}
