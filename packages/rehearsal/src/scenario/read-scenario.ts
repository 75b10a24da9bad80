import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { RehearsalError } from '../rehearsal-error.ts';
import { checkScenario } from './check-scenario.ts';
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
  return checkScenario(path, value);
}
