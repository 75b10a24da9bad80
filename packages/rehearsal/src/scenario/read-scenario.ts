import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isObject } from '@coxswain/shared/is-object';
import { type Kind, type KindsOf, OBJECT, problemsIn, TEXT } from '@coxswain/shared/option-kinds';
import { RehearsalError } from '../rehearsal-error.ts';
import { fromCassette } from './from-cassette.ts';
import { fromText } from './from-text.ts';
import { fromTranscript } from './from-transcript.ts';
import { regularText } from './regular-text.ts';
import type { Scenario } from './scenario.ts';

/**
 * Reads the conversations of a file: a transcript (`.jsonl`), a cassette (`.ndjson`), a text (`.txt`), or a scenario that
 * `writeScenario()` or a person wrote (`.json`). Only a cassette can contain several.
 * @throws RehearsalError if it cannot be read, or has unknown fields
 */
export async function readScenarios(path: string): Promise<readonly Scenario[]> {
  if (path.endsWith('.ndjson')) return fromCassette(path);
  if (path.endsWith('.txt')) return [fromText(basename(path), await regularText(path))];
  if (path.endsWith('.json')) return [scenarioIn(path, await regularText(path))];
  return [await fromTranscript(path)];
}

/** Reads the conversation of a file. @throws RehearsalError as `readScenarios()`, and if it contains several */
export async function readScenario(path: string): Promise<Scenario> {
  const [first, ...others] = await readScenarios(path);
  if (first !== undefined && others.length === 0) return first;
  throw new RehearsalError('unreadable', `${path} contains ${others.length + 1} conversations: use readScenarios().`);
}

/** Writes a scenario, so that a repository can keep it. */
export async function writeScenario(path: string, scenario: Scenario): Promise<void> {
  await writeFile(path, `${JSON.stringify(scenario, undefined, 2)}\n`, { mode: 0o600 });
}

function scenarioIn(path: string, text: string): Scenario {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RehearsalError('unreadable', `${path} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  return checked(path, value);
}

function checked(path: string, value: unknown): Scenario {
  if (!isObject(value)) throw new RehearsalError('unreadable', `${path} is not a scenario.`);
  const defaults = { format: 1, name: basename(path), agents: [], results: {}, files: {}, gaps: [] };
  const whole = { ...defaults, ...value };
  const problems = problemsIn(whole, FIELDS, { before: '', noun: 'field' }).map(
    (problem) => `${problem.path} ${problem.message}`,
  );
  if (Array.isArray(value.turns)) problems.push(...value.turns.flatMap((turn, index) => turnProblems(turn, index)));
  if (problems.length > 0) throw new RehearsalError('unreadable', `${path}: ${problems.join(' ')}`);
  // The fields were checked above.
  return whole as unknown as Scenario;
}

function turnProblems(turn: unknown, index: number): string[] {
  if (!isObject(turn) || !Array.isArray(turn.prompt) || !Array.isArray(turn.replies)) {
    return [`turns[${index}] must have the lists prompt and replies.`];
  }
  const blocks = [...turn.prompt, ...turn.replies.flat()];
  const odd = blocks.find((block) => !isObject(block) || !isKnownBlock(block));
  return odd === undefined ? [] : [`turns[${index}] has an unknown block: ${JSON.stringify(odd)?.slice(0, 80)}.`];
}

function isKnownBlock(block: Readonly<Record<string, unknown>>): boolean {
  if (block.type === 'text') return typeof block.text === 'string';
  if (block.type === 'thinking') return typeof block.thinking === 'string';
  if (block.type === 'image') return isObject(block.source);
  return (
    block.type === 'tool_use' &&
    typeof block.id === 'string' &&
    /^[\w-]{1,100}$/.test(block.id) &&
    typeof block.name === 'string' &&
    isObject(block.input)
  );
}

const LIST: Kind = { is: Array.isArray, what: 'a list' };
const FIELDS: KindsOf<Required<Scenario>> = {
  format: { is: (value) => value === 1, what: '1, the only known format' },
  name: TEXT,
  release: TEXT,
  cwd: TEXT,
  home: TEXT,
  turns: LIST,
  agents: LIST,
  results: OBJECT,
  files: OBJECT,
  gaps: LIST,
};
