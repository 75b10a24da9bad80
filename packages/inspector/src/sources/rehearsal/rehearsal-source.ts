import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { OptionsError } from 'coxswain/errors';
import type { FramesPage, SourceInfo } from '../../api.ts';
import { fieldsOf, listIn } from '../../transcript/fields.ts';
import type { ConversationRegistry, Source } from '../source.ts';
import { ShownRehearsal } from './shown-rehearsal.ts';

/** The conversations of a report of `cox rehearse --json`, each with its differences at their steps. */
class RehearsalSource implements Source {
  readonly info: SourceInfo;
  readonly #reports: readonly ReadReport[];
  readonly #shown = new Map<string, ShownRehearsal>();

  constructor(reports: readonly ReadReport[]) {
    this.#reports = reports;
    const sentence = reports.length === 1 ? reports[0]?.sentence : undefined;
    const label = reports.length === 1 ? basename(reports[0]?.path ?? '') : `${reports.length} rehearsals`;
    this.info = { id: 'rehearsals', kind: 'recording', label, ...(sentence && { note: sentence }) };
  }

  start(registry: ConversationRegistry): void {
    for (const { path, results, changedAt } of this.#reports) {
      results.slice(0, MOST_CONVERSATIONS).forEach((result, index) => {
        const id = `rehearsal-${createHash('sha256').update(path).digest('hex').slice(0, 12)}-${index + 1}`;
        const record = registry.add(this.info, id, { title: '', file: basename(path) });
        this.#shown.set(id, new ShownRehearsal(record, fieldsOf(result), changedAt));
      });
    }
  }

  async frames(recording: string, from: number, limit: number): Promise<FramesPage | undefined> {
    return this.#shown.get(recording)?.page(from, limit);
  }

  async close(): Promise<void> {}
}

interface ReadReport {
  readonly path: string;
  readonly sentence: string;
  readonly changedAt: number;
  readonly results: readonly unknown[];
}

/** Reads reports of `cox rehearse --json`, for the option `sources`. @throws OptionsError if a file is not such a report */
export async function openRehearsals(paths: readonly string[]): Promise<Source> {
  return new RehearsalSource(await Promise.all(paths.map((path) => readReport(resolve(path)))));
}

async function readReport(path: string): Promise<ReadReport> {
  const wrong = (message: string): OptionsError =>
    new OptionsError([{ path: 'rehearsals', message: `${path} ${message}` }]);
  const found = await lstat(path).catch(() => undefined);
  // Reading a pipe may never end.
  if (found?.isFile() !== true) throw wrong('is not a file.');
  if (found.size > LONGEST) throw wrong(`is larger than ${LONGEST / 1_000_000} MB.`);
  let report: Readonly<Record<string, unknown>> = {};
  try {
    report = fieldsOf(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw wrong(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!Array.isArray(report.results)) throw wrong('is not a report of cox rehearse --json.');
  const sentence = typeof report.sentence === 'string' ? report.sentence : '';
  return { path, sentence, changedAt: Math.floor(found.mtimeMs), results: listIn(report, 'results') };
}

const LONGEST = 200_000_000;
const MOST_CONVERSATIONS = 1_000;
