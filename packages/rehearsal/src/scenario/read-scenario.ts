import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isObject } from '@coxswain/shared/is-object';
import { type Kind, type KindsOf, OBJECT, problemsIn, TEXT } from '@coxswain/shared/option-kinds';
import { RehearsalError } from '../rehearsal-error.ts';
import { fromTranscript } from './from-transcript.ts';
import type { Scenario } from './scenario.ts';

/**
 * Reads a scenario: a transcript (`.jsonl`), or a file that `writeScenario()` or a person wrote (`.json`).
 * @throws RehearsalError if it cannot be read, or has unknown fields
 */
export async function readScenario(path: string): Promise<Scenario> {
  if (!path.endsWith('.json')) return fromTranscript(path);
  const text = await textOf(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RehearsalError('unreadable', `${path} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  return checked(path, value);
}

/** Writes a scenario, so that a repository can keep it. */
export async function writeScenario(path: string, scenario: Scenario): Promise<void> {
  await writeFile(path, `${JSON.stringify(scenario, undefined, 2)}\n`, { mode: 0o600 });
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > LONGEST) throw new Error(`it is larger than ${LONGEST / 1_000_000} MB`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RehearsalError('unreadable', `${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

const LONGEST = 100_000_000;

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
