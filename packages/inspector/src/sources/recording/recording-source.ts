import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { RecordedRun } from '@coxswain/testkit';
import { OptionsError } from 'coxswain/errors';
import type { FramesPage, RecordingInfo, SourceInfo } from '../../api.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import type { ConversationRegistry, Source } from '../source.ts';
import { PlayedRun } from './played-run.ts';

/** Number of recordings opened. */
const MOST_FILES = 200;

/** Cassettes of the test kit. */
class RecordingSource implements Source {
  readonly info: SourceInfo;
  readonly #files: readonly ReadFile[];
  readonly #runs = new Map<string, PlayedRun>();
  readonly #infos: RecordingInfo[] = [];

  /** `leftOut`: number of older recordings that were not opened. */
  constructor(files: readonly ReadFile[], leftOut: number) {
    this.#files = files;
    const label = files.length === 1 ? basename(files[0]?.path ?? '') : `${files.length} recordings`;
    const note = `Only the newest ${files.length} recordings are shown; ${leftOut} older ones are omitted.`;
    this.info = { id: 'recordings', kind: 'recording', label, ...(leftOut > 0 && { note }) };
  }

  start(registry: ConversationRegistry): void {
    for (const file of this.#files) this.#show(file, registry);
  }

  recordings(): readonly RecordingInfo[] {
    return this.#infos;
  }

  async frames(recording: string, from: number, limit: number): Promise<FramesPage | undefined> {
    return this.#runs.get(recording)?.page(from, limit);
  }

  async close(): Promise<void> {}

  #show({ path, mtimeMs, runs, error }: ReadFile, registry: ConversationRegistry): void {
    const name = basename(path);
    if (error !== undefined) {
      const at = Math.floor(mtimeMs);
      const record = registry.add(this.info, idOf(path, 0), { title: name, file: name });
      const problem = { code: 'recording', message: error, remedy: 'Record it again: `cox record`.' };
      record.problem({ kind: 'error', ...problem, detail: { path } }, { at, turn: null });
      record.ended('failed', at, 'cannot be read');
      return;
    }
    runs.forEach((run, index) => {
      const id = idOf(path, index + 1);
      const file = runs.length === 1 ? name : `${name}, run ${run.header.run}`;
      const startedAt = Date.parse(run.header.recordedAt) || null;
      const record = registry.add(this.info, id, { title: '', file, startedAt });
      const played = new PlayedRun(record, run);
      this.#runs.set(id, played);
      this.#infos.push(infoOf(id, record, run, played, name));
    });
  }
}

interface ReadFile extends FoundFile {
  readonly runs: readonly RecordedRun[];
  readonly error?: string;
}

/** Reads cassettes, and those in folders. @throws OptionsError if the test kit is missing, or a path does not exist */
export async function openRecordings(paths: readonly string[]): Promise<Source> {
  const { readCassette } = await import('@coxswain/testkit').catch(() => {
    throw new OptionsError([{ path: 'recordings', message: 'need @coxswain/testkit: npm install @coxswain/testkit.' }]);
  });
  const files = (await Promise.all(paths.map((path) => filesAt(resolve(path))))).flat();
  const newest = files.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1)).slice(0, MOST_FILES);
  const read = newest.map(async (file): Promise<ReadFile> => {
    try {
      return { ...file, runs: await readCassette(file.path) };
    } catch (error) {
      return { ...file, runs: [], error: reasonOf(error, file.path) };
    }
  });
  return new RecordingSource(await Promise.all(read), files.length - newest.length);
}

interface FoundFile {
  readonly path: string;
  readonly mtimeMs: number;
}

/** A file, or the recordings in a folder. Pipes and sockets are skipped: reading one may never end. */
async function filesAt(path: string): Promise<FoundFile[]> {
  const found = await stat(path).catch(() => {
    throw new OptionsError([{ path: 'recordings', message: `there is no file or folder ${path}.` }]);
  });
  if (!found.isDirectory()) return [{ path, mtimeMs: found.mtimeMs }];
  const names = (await readdir(path)).filter((name) => name.endsWith('.ndjson'));
  const inside = names.map(async (name): Promise<FoundFile[]> => {
    const file = await stat(join(path, name)).catch(() => undefined);
    return file?.isFile() === false ? [] : [{ path: join(path, name), mtimeMs: file?.mtimeMs ?? 0 }];
  });
  return (await Promise.all(inside)).flat();
}

/** Why a recording cannot be shown, without the path, which the page shows, and without advice for programs. */
function reasonOf(error: unknown, path: string): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replaceAll(path, basename(path))
    .replace(/ Record it (again )?with recording\(.*$/s, '')
    .trim();
}

/** Stable for the same file, so that links to it keep working. */
function idOf(path: string, run: number): string {
  return `r-${createHash('sha256').update(path).digest('hex').slice(0, 12)}-${run}`;
}

function infoOf(
  id: string,
  record: ConversationRecord,
  run: RecordedRun,
  played: PlayedRun,
  file: string,
): RecordingInfo {
  const { recordedAt, cliVersion } = run.header;
  const { durationMs, frames } = played;
  const times = { recordedAt: Date.parse(recordedAt) || null, cliVersion, durationMs };
  return { id, file, run: run.header.run, title: record.summary().title || file, ...times, frames, conversation: id };
}
