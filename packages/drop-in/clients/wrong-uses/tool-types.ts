import type {
  AgentOutput,
  BashInput,
  BashOutput,
  FileEditOutput,
  ToolInputSchemas,
} from '@anthropic-ai/claude-agent-sdk/sdk-tools';
import type { GrepInput } from '@anthropic-ai/claude-agent-sdk/sdk-tools.js';

export const bash: BashInput = { command: 'ls', timeout: 5 };
export const grep: GrepInput = { pattern: 'x', '-n': true, output_mode: 'count' };
export const any: ToolInputSchemas = bash;
export const failed = ({ stderr, interrupted }: BashOutput): boolean => interrupted || stderr !== '';
export const added = ({ structuredPatch }: FileEditOutput): number =>
  structuredPatch.flatMap(({ lines }) => lines).length;
export const tokens = (output: AgentOutput): number => (output.status === 'completed' ? output.totalTokens : 0);
export const nothing: BashInput = { timeout: 5 }; // wrong
export const lines: GrepInput = { pattern: 'x', output_mode: 'lines' }; // wrong
export const code = ({ exitCode }: BashOutput): number => exitCode; // wrong
export const early = (output: AgentOutput): number => output.totalTokens; // wrong
