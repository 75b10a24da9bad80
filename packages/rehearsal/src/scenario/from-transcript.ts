import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCoxswainError } from 'coxswain';
import {
  getSession,
  getSessionEntries,
  readSessionLines,
  readSessionNote,
  type SessionPlace,
} from 'coxswain/transcripts';
import { RehearsalError } from '../rehearsal-error.ts';
import { fromEntries } from './from-entries.ts';
import { callsOf, type Scenario } from './scenario.ts';
import type { TranscriptOptions } from './transcript-options.ts';

/**
 * Reads a conversation from a transcript of the CLI, subagents included. The file can be anywhere, and is not changed.
 * @throws RehearsalError if it is not a regular file, contains no conversation or has too many calls
 */
export async function fromTranscript(path: string, options: TranscriptOptions = {}): Promise<Scenario> {
  const stats = await lstat(path).catch((error: unknown) => {
    throw new RehearsalError('unreadable', `${path} cannot be read: ${reasonOf(error)}`, error);
  });
  if (!stats.isFile()) throw new RehearsalError('unreadable', `${path} is not a regular file.`);
  // Transcripts are read from a configuration directory, so create one with the lines of the conversation.
  const configDir = await mkdtemp(join(tmpdir(), 'coxswain-rehearsal-'));
  try {
    const id = randomUUID();
    await copyTranscript(path, join(configDir, 'projects', 'recorded'), id);
    return await fromSession(id, { configDir }, { name: basename(path), ...options });
  } catch (error) {
    if (error instanceof RehearsalError) throw error;
    if (isCoxswainError(error, 'session-not-found')) {
      throw new RehearsalError('unreadable', `${path} contains no conversation that can be read.`, error);
    }
    throw new RehearsalError('unreadable', `${path} cannot be rehearsed: ${reasonOf(error)}`, error);
  } finally {
    await rm(configDir, { recursive: true, force: true });
  }
}

/**
 * Reads a conversation on disk or in a session store, subagents included.
 * @throws RehearsalError if it contains no prompt or has too many calls, and what `getSession()` throws
 */
export async function fromSession(
  sessionId: string,
  place: SessionPlace = {},
  options: TranscriptOptions = {},
): Promise<Scenario> {
  const { name = sessionId, maxCalls = 2_000 } = options;
  const entries = await getSessionEntries(sessionId, { ...place, beforeCompaction: true });
  const { subagents } = await getSession(sessionId, place);
  const agents = await Promise.all(subagents.map(({ id }) => getSessionEntries(sessionId, { ...place, agentId: id })));
  const scenario = fromEntries(name, entries, agents);
  if (scenario.turns.length === 0) throw new RehearsalError('unreadable', `${name} contains no prompt.`);
  const calls = callsOf(scenario).length;
  if (calls > maxCalls) {
    throw new RehearsalError(
      'too-large',
      `${name} has ${calls} tool calls; at most ${maxCalls} are rehearsed at once.`,
    );
  }
  return scenario;
}

/** Copies a transcript and those of its subagents, without the records of API requests. */
async function copyTranscript(path: string, project: string, id: string): Promise<void> {
  await mkdir(project, { recursive: true });
  await copyLines(path, join(project, `${id}.jsonl`));
  const from = join(dirname(path), basename(path, '.jsonl'), 'subagents');
  const to = join(project, id, 'subagents');
  const names = (await readdir(from).catch(() => [])).filter((name) => /^agent-[\w-]{1,100}\.jsonl$/.test(name));
  if (names.length > 0) await mkdir(to, { recursive: true });
  for (const name of names.slice(0, MOST_AGENTS)) {
    await copyLines(join(from, name), join(to, name));
    const note = name.replace(/\.jsonl$/, '.meta.json');
    const text = await readSessionNote(join(from, note));
    if (text !== undefined) await writeFile(join(to, note), text);
  }
}

const MOST_AGENTS = 500;

async function copyLines(from: string, to: string): Promise<void> {
  const lines = async function* (): AsyncGenerator<string> {
    for await (const line of readSessionLines(from)) {
      if (line.includes('"uuid"') || line.includes('"leafUuid"')) yield `${line}\n`;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(to, { mode: 0o600 }));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
