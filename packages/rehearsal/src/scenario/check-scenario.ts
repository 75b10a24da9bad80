import { basename } from 'node:path';
import { isObject } from '@coxswain/shared/is-object';
import { type Kind, type KindsOf, OBJECT, problemsIn, TEXT } from '@coxswain/shared/option-kinds';
import { RehearsalError } from '../rehearsal-error.ts';
import { isCallId } from './is-call-id.ts';
import { callsOf, type Scenario } from './scenario.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Checks a scenario that a person may have written, and adds the defaults of its fields. @throws RehearsalError */
export function checkScenario(path: string, value: unknown): Scenario {
  if (!isObject(value)) throw new RehearsalError('unreadable', `${path} is not a scenario.`);
  const defaults = { format: 1, name: basename(path), agents: [], results: {}, files: {}, gaps: [] };
  const whole: Fields = { ...defaults, ...value };
  const problems = problemsIn(whole, FIELDS, { before: '', noun: 'field' }).map(
    (problem) => `${problem.path} ${problem.message}`,
  );
  if (problems.length === 0) problems.push(...partProblems(whole));
  if (problems.length > 0) throw new RehearsalError('unreadable', `${path}: ${problems.slice(0, 5).join(' ')}`);
  // The fields were checked above.
  const scenario = { ...whole, results: withDefaults(whole.results) } as unknown as Scenario;
  return checkCalls(path, scenario);
}

/** Ids of calls name their results, so each is unique; a conversation has a limited number of them. @throws RehearsalError */
function checkCalls(path: string, scenario: Scenario): Scenario {
  const ids = callsOf(scenario).map(({ call }) => call.id);
  if (ids.length > MOST_CALLS) {
    throw new RehearsalError('too-large', `${path} has ${ids.length} tool calls; at most ${MOST_CALLS} are rehearsed.`);
  }
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated === undefined) return scenario;
  throw new RehearsalError('unreadable', `${path}: two calls have the id ${repeated}.`);
}

const MOST_CALLS = 2_000;

function partProblems({ turns, agents, results, files, gaps }: Fields): string[] {
  return [
    ...listed(turns).flatMap((turn, index) => turnProblems(turn, `turns[${index}]`, Array.isArray)),
    ...listed(agents).flatMap((agent, index) => turnProblems(agent, `agents[${index}]`, isText)),
    ...entries(results).flatMap(([id, result]) => (isResult(result) ? [] : [`results.${id} is not a result.`])),
    ...entries(files).flatMap(([name, text]) => (isText(text) ? [] : [`files.${name} must be text.`])),
    ...listed(gaps).flatMap((gap, index) =>
      isObject(gap) && isText(gap.what) ? [] : [`gaps[${index}] is not a gap.`],
    ),
  ];
}

function turnProblems(turn: unknown, name: string, isPrompt: (prompt: unknown) => boolean): string[] {
  if (!isObject(turn) || !isPrompt(turn.prompt) || !Array.isArray(turn.replies) || !turn.replies.every(Array.isArray)) {
    return [`${name} must have a prompt, and replies that are lists of blocks.`];
  }
  const unknown = Object.keys(turn).find((field) => field !== 'prompt' && field !== 'replies');
  if (unknown !== undefined) return [`${name} has the unknown field ${unknown}.`];
  const odd = [...listed(turn.prompt), ...turn.replies.flat()].find(
    (block) => !isObject(block) || !isKnownBlock(block),
  );
  return odd === undefined ? [] : [`${name} has an unknown block: ${JSON.stringify(odd)?.slice(0, 80)}.`];
}

function isKnownBlock(block: Fields): boolean {
  if (block.type === 'text') return isText(block.text);
  if (block.type === 'thinking') return isText(block.thinking);
  if (block.type === 'image') return isObject(block.source);
  return (
    block.type === 'tool_use' && isText(block.id) && isCallId(block.id) && isText(block.name) && isObject(block.input)
  );
}

function isResult(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { outcome, how, text = '', isError = false, ...others } = value;
  const isDecided = OUTCOMES.includes(outcome) && (how === undefined || DECIDERS.includes(how));
  return isDecided && isText(text) && typeof isError === 'boolean' && Object.keys(others).length === 0;
}

function withDefaults(results: unknown): Fields {
  const whole = entries(results).map(([id, result]) => [
    id,
    isObject(result) ? { text: '', isError: result.outcome !== 'ran', ...result } : result,
  ]);
  return Object.fromEntries(whole);
}

const OUTCOMES: readonly unknown[] = ['ran', 'refused', 'invalid', 'missing'];
const DECIDERS: readonly unknown[] = ['rule', 'hook', 'asked', 'nobody'];

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
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
