import { visible } from '@coxswain/inspector/text';
import { firstLine, harmless } from './measure.ts';

/** The readable name of a tool: `mcp__ops__last_deploy` is `ops/last_deploy`. */
export function toolTitle(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? name : `${server}/${tool}`;
}

/** The target of a call, in one line: its command, its file, its pattern … */
export function targetOf(input: Readonly<Record<string, unknown>>): string {
  const field = mainField(input);
  if (field !== undefined) return firstLine(visible(String(input[field])));
  const rest = Object.entries(input).filter(([, value]) => typeof value !== 'object');
  return firstLine(visible(rest.map(([name, value]) => `${name}: ${String(value)}`).join(', ')));
}

/** The most informative field of an input. */
export function mainField(input: Readonly<Record<string, unknown>>): string | undefined {
  return INFORMATIVE.find((field) => typeof input[field] === 'string' && input[field] !== '');
}

/** The output of a tool, in one line. */
export function outcomeLine(content: unknown): string {
  const text = harmless(textIn(content)).replace(/<\/?(?:tool_use_error|system-reminder)>/g, '');
  const lines = text.trim() === '' ? 0 : text.trim().split('\n').length;
  return lines > 1 ? `${firstLine(text)} (+${lines - 1} lines)` : firstLine(text);
}

/**
 * A rule that allows this call, in the format of `--allow`: exactly this Bash command, or any call of another tool. Undefined for a
 * command that no rule matches exactly: `*` and `:*` are wildcards, and a rule has one line and no parentheses.
 */
export function ruleFor(tool: string, input: Readonly<Record<string, unknown>>): string | undefined {
  const { command } = input;
  if (tool !== 'Bash') return tool;
  return typeof command === 'string' && !/[\n()*\\]/.test(command) ? `Bash(${command})` : undefined;
}

/** Fields of an input, the most informative first. */
const INFORMATIVE = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'url',
  'query',
  'path',
  'description',
  'skill',
  'prompt',
];

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(blockText).filter(Boolean).join('\n');
}

function blockText(block: unknown): string {
  if (typeof block !== 'object' || block === null || !('type' in block)) return '';
  if ('text' in block && typeof block.text === 'string') return block.text;
  return block.type === 'text' ? '' : `[${String(block.type)}]`;
}
