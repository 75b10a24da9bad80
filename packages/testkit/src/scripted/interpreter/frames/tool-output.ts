import type { JsonObject, JsonValue } from '../../../json.ts';
import { bashOutput } from '../../../messages/bash-output.ts';
import type { ToolCall } from '../../script-data.ts';

/** The output of a tool: what the model receives, and the structured outcome beside it. */
export interface ToolOutput {
  readonly content: string | readonly JsonObject[];
  readonly output: JsonValue;
}

/** The output of a scripted tool call, with the input it ran with. */
export function toolOutput(call: ToolCall, input: JsonObject): ToolOutput {
  const content = call.result ?? ownWords(call.name, input);
  if (call.output !== null) return { content, output: call.output };
  const text = typeof content === 'string' ? content : undefined;
  if (call.isError) return { content, output: `Error: ${text ?? JSON.stringify(content)}` };
  return { content, output: text === undefined ? content : structured(call.name, input, text) };
}

/** What the model receives when a hook replaced the tool's own output. */
export function contentOf(output: JsonValue): string {
  if (typeof output === 'string') return output;
  const stdout = output !== null && typeof output === 'object' && 'stdout' in output ? output.stdout : undefined;
  return typeof stdout === 'string' ? stdout : JSON.stringify(output);
}

function ownWords(name: string, input: JsonObject): string {
  const file = String(input.file_path);
  if (name === 'Write') return `File created successfully at: ${file}`;
  if (name === 'Edit') return `The file ${file} has been updated successfully.`;
  if (name === 'Bash') return /^echo ["']?(.*?)["']?$/.exec(String(input.command))?.[1] ?? '';
  if (name === 'ExitPlanMode') return 'User has approved exiting plan mode. You can now proceed.';
  return 'Done.';
}

function structured(name: string, input: JsonObject, text: string): JsonValue {
  const filePath = String(input.file_path);
  if (name === 'Bash') return bashOutput(text);
  if (name === 'Write') {
    const content = input.content ?? '';
    return { type: 'create', filePath, content, structuredPatch: [], originalFile: null, userModified: false };
  }
  if (name === 'Edit') {
    const [oldString, newString] = [input.old_string ?? '', input.new_string ?? ''];
    const replaceAll = input.replace_all ?? false;
    const originalFile = oldString;
    return { filePath, oldString, newString, originalFile, structuredPatch: [], userModified: false, replaceAll };
  }
  if (name === 'Read') {
    const numLines = text.split('\n').length;
    return { type: 'text', file: { filePath, content: text, numLines, startLine: 1, totalLines: numLines } };
  }
  if (name === 'ExitPlanMode') return { plan: null, isAgent: false, filePath: '/tmp/claude/plans/scripted.md' };
  return text;
}
