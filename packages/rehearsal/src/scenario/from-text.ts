import { RehearsalError } from '../rehearsal-error.ts';
import type { CallOutcome, RecordedCall, RecordedResult, ReplyBlock, Scenario } from './scenario.ts';

/**
 * Reads a conversation that a person wrote: prompts, the calls that the model makes, and what is expected of them.
 * ```text
 * > Publish the release.
 * Bash: npm test
 *   12 passed
 * Bash: npm publish => refused
 * It is published.
 * ```
 * @throws RehearsalError for a line that it cannot read
 */
export function fromText(name: string, text: string): Scenario {
  const turns: { prompt: string[]; replies: ReplyBlock[][] }[] = [];
  const results: Record<string, RecordedResult> = {};
  const files: Record<string, string> = {};
  let last: RecordedCall | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const turn = turns.at(-1);
    const prompt = /^> ?(.*)$/.exec(line)?.[1];
    if (line.trim() === '' || line.startsWith('#')) continue;
    if (prompt !== undefined) {
      if (turn !== undefined && turn.replies.length === 0) turn.prompt.push(prompt);
      else turns.push({ prompt: [prompt], replies: [] });
      last = undefined;
      continue;
    }
    if (turn === undefined) throw unreadable(name, index, 'a conversation begins with a prompt: > Run the tests.');
    const output = /^(?: {2}|\t)(.*)$/.exec(line)?.[1];
    if (output !== undefined) {
      const result = last === undefined ? undefined : results[last.id];
      if (last === undefined || result === undefined) throw unreadable(name, index, 'only calls have output');
      results[last.id] = { ...result, text: result.text === '' ? output : `${result.text}\n${output}` };
      if (last.name === 'Read') files[String(last.input.file_path)] = `${results[last.id]?.text}\n`;
      continue;
    }
    const call = callIn(line, Object.keys(results).length + 1, (problem) => unreadable(name, index, problem));
    if (call === undefined) turn.replies.push([{ type: 'text', text: line }]);
    else {
      last = call.call;
      results[last.id] = { outcome: call.outcome, text: '', isError: call.outcome !== 'ran' };
      turn.replies.push([last]);
    }
  }
  if (turns.length === 0) throw new RehearsalError('unreadable', `${name} contains no prompt.`);
  return {
    format: 1,
    name,
    turns: turns.map(({ prompt, replies }) => ({ prompt: [{ type: 'text', text: prompt.join('\n') }], replies })),
    agents: [],
    results,
    files,
    gaps: [],
  };
}

/** The field of the input that a call has after its name. */
const SUBJECTS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Glob: 'pattern',
  Grep: 'pattern',
  WebFetch: 'url',
  WebSearch: 'query',
  Skill: 'skill',
};

const OUTCOMES: readonly CallOutcome[] = ['ran', 'refused', 'invalid', 'missing'];

/** `Bash: npm test`, `Write {"file_path": "a", "content": ""} => refused`; anything else is a text. */
function callIn(
  line: string,
  number: number,
  problem: (text: string) => RehearsalError,
): { readonly call: RecordedCall; readonly outcome: CallOutcome } | undefined {
  const [, name = '', rest = ''] = /^([A-Z][A-Za-z]+|mcp__[\w-]+):? (.*)$/.exec(line) ?? [];
  const field = SUBJECTS[name];
  const isJson = rest.startsWith('{') && (field !== undefined || OTHER_TOOLS.test(name));
  const isSubject = field !== undefined && line.startsWith(`${name}: `);
  if (!isJson && !isSubject) return undefined;
  const [, given = rest, expected = 'ran'] = / => (\w+)$/.test(rest) ? (/^(.*) => (\w+)$/.exec(rest) ?? []) : [];
  const outcome = OUTCOMES.find((one) => one === expected);
  if (outcome === undefined) throw problem(`"${expected}" is none of ${OUTCOMES.join(', ')}`);
  const input = isJson ? parsed(given, problem) : { [field ?? '']: given };
  return { call: { type: 'tool_use', id: `toolu_text_${number}`, name, input }, outcome };
}

const OTHER_TOOLS = /^(mcp__|Write$|Edit$|NotebookEdit$|Agent$|Task|TodoWrite$|AskUserQuestion$)/;

function parsed(text: string, problem: (text: string) => RehearsalError): Record<string, unknown> {
  try {
    // The text begins with a brace, so it is an object.
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw problem(error instanceof Error ? error.message : String(error));
  }
}

function unreadable(name: string, index: number, problem: string): RehearsalError {
  return new RehearsalError('unreadable', `${name}, line ${index + 1}: ${problem}.`);
}
