import { toolResultsOf, toolUsesOf } from 'coxswain';
import { checkResultPattern, checkText, type ToolResultPattern } from './arguments.ts';
import { fits, show, type TextPattern, textFits } from './pattern.ts';
import { type Received, sortOut } from './received.ts';
import { findText, shorten } from './texts.ts';
import { type Verdict, verdict } from './verdict.ts';

/** This prompt was sent. */
export function toHaveBeenPrompted(received: unknown, text: TextPattern): Verdict {
  checkText('toHaveBeenPrompted', text);
  const { runs, requests } = sortOut(received, ['runs', 'requests']);
  const prompts = [...runs.flatMap((run) => run.prompts), ...requests.map(({ lastUserText }) => lastUserText)];
  return findText('the prompt', 'Prompts', prompts, text);
}

/** The model received this result of a tool. */
export function toHaveToolResult(received: unknown, pattern: ToolResultPattern): Verdict {
  checkResultPattern(pattern);
  const results = resultsOf(sortOut(received, ['messages', 'requests']));
  return {
    ...verdict({
      pass: results.some((result) => resultFits(pattern, result)),
      wanted: `the result of a tool ${show(pattern)}`,
      listed: 'Results of tools',
      seen: results.map(({ tool, text, isError }) => `${tool}${isError ? ' (error)' : ''}: ${shorten(text)}`),
    }),
    actual: results,
    expected: pattern,
  };
}

interface Result {
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

function resultFits({ tool, text, isError }: ToolResultPattern, result: Result): boolean {
  if (tool !== undefined && !fits(tool, result.tool)) return false;
  if (text !== undefined && !textFits(text, result.text)) return false;
  return isError === undefined || isError === result.isError;
}

function resultsOf({ messages, requests }: Received): Result[] {
  const names = new Map(messages.flatMap(toolUsesOf).map(({ id, name }) => [id, name]));
  return [
    ...messages.flatMap(toolResultsOf).map((result) => ({
      tool: names.get(result.tool_use_id) ?? '',
      text: contentText(result.content),
      isError: result.is_error === true,
    })),
    ...requests.flatMap(({ toolResults }) =>
      toolResults.map(({ toolName = '', text, isError }) => ({ tool: toolName, text, isError })),
    ),
  ];
}

type Content = ReturnType<typeof toolResultsOf>[number]['content'];

function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (block?.type === 'text' ? String(block.text) : '')).join('\n');
}
