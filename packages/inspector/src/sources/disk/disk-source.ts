import { stat } from 'node:fs/promises';
import { isCoxswainError, openSession, type Session } from 'coxswain';
import {
  deleteSession,
  forkSession,
  listSessions,
  readSessionLines,
  renameSession,
  type SessionInfo,
} from 'coxswain/transcripts';
import type { SourceInfo } from '../../api.ts';
import { askInspector } from '../../ask-inspector.ts';
import { answerBefore } from '../../conversations/answer-before.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import type { DiskOptions } from '../../options.ts';
import { Refusal } from '../../refusal.ts';
import type { ProcessSource } from '../process/process-source.ts';
import type { ConversationRegistry, Source } from '../source.ts';
import { DiskFigures, type DiskSum } from './disk-figures.ts';
import { DiskTranscript } from './disk-transcript.ts';
import { lastTurnOf } from './last-turn.ts';

/** Poll interval while a browser is connected, polls per listing and per counting, time a changed conversation counts as running, and wait for figures. */
const PACE = { pollMs: 1_000, listEvery: 3, countEvery: 30, activeMs: 15_000, figuresMs: 1_500 };
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Conversations shown, transcripts kept open, ends of transcripts read at once, and largest file for a search. */
const LIMITS = { shown: 500, open: 20, ends: 20, searchBytes: 64 * 1024 * 1024 };

const NO_CLI =
  'Claude Code is not installed on this machine, so the conversation cannot go on here. Install it: npm install -g @anthropic-ai/claude-code';

interface OnDisk {
  info: SessionInfo;
  readonly record: ConversationRecord;
  readonly transcript: DiskTranscript;
  /** The status of the last turn, see `statusAfter`; `null` if unknown. */
  end: string | null;
  /** When it was last requested. */
  used: number;
  watched: boolean;
  /** When the transcript last grew while it was shown. */
  grownAt: number;
}

/** The conversations that Claude Code has stored on this machine. */
export class DiskSource implements Source {
  readonly info: SourceInfo;
  readonly #options: DiskOptions;
  readonly #process: ProcessSource;
  readonly #known = new Map<string, OnDisk>();
  readonly #figures: DiskFigures;
  #registry: ConversationRegistry | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polls = 0;
  #busy = false;

  constructor(options: DiskOptions, process: ProcessSource) {
    this.#options = options;
    this.#process = process;
    this.#figures = new DiskFigures(this.#place, (id, sum) => this.#summed(id, sum));
    this.info = { id: 'disk', kind: 'disk', label: options.cwd ?? options.configDir ?? 'this machine' };
  }

  async start(registry: ConversationRegistry): Promise<void> {
    this.#registry = registry;
    await this.refresh();
    this.#timer = setInterval(() => void this.#poll(), PACE.pollMs);
    this.#timer.unref();
  }

  async refresh(): Promise<void> {
    const registry = this.#registry;
    if (!registry) return;
    const { cwd, limit = LIMITS.shown } = this.#options;
    const infos = await listSessions({ ...this.#place, ...(cwd !== undefined && { cwd }), limit });
    const seen = new Set(infos.map(({ id }) => id));
    for (const [id, { record }] of this.#known) {
      if (!seen.has(id) || registry.bySession(id)) this.#forget(id, record);
    }
    const ends = await this.#endsOf(infos.filter(({ id }) => !registry.bySession(id)));
    for (const [info, end] of ends) if (!registry.bySession(info.id)) this.#show(info, end, registry);
  }

  watched(record: ConversationRecord, isWatched: boolean): void {
    const known = this.#of(record);
    if (known) known.watched = isWatched;
  }

  async mayContain(record: ConversationRecord, text: string): Promise<boolean> {
    const known = this.#of(record);
    if (!known || known.info.sizeBytes > LIMITS.searchBytes) return false;
    const wanted = JSON.stringify(text.toLowerCase()).slice(1, -1);
    try {
      for await (const line of readSessionLines(known.info.path)) if (line.toLowerCase().includes(wanted)) return true;
    } catch {
      // The file was removed or is unreadable.
    }
    return false;
  }

  /** Waits for a short time; if counting takes longer, the figures follow later. */
  async countTurns(days: number): Promise<void> {
    const registry = this.#registry;
    if (!registry) return;
    const since = Date.now() - days * DAY_MS;
    const counted = this.#count(registry, since);
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PACE.figuresMs);
    });
    await Promise.race([counted, waited]);
    clearTimeout(timer);
  }

  /** Counts the conversations that have changed since then, newest first. Never rejects. */
  #count(registry: ConversationRegistry, since: number): Promise<void> {
    // Turns of a conversation that continues in this process are counted there.
    const sessions = [...this.#known.values()].flatMap(({ info }) =>
      info.updatedAt < since || registry.bySession(info.id) ? [] : [info],
    );
    sessions.sort((a, b) => b.updatedAt - a.updatedAt);
    return this.#figures.count(sessions, (turn) => registry.countTurn(turn));
  }

  /** Shows what a conversation has cost before it is opened. */
  #summed(id: string, { cost, model }: DiskSum): void {
    const record = this.#known.get(id)?.record;
    if (record === undefined) return;
    record.costs.unread = cost;
    record.change(record.info.model === null ? { model } : {});
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  get #place(): { configDir?: string } {
    const { configDir } = this.#options;
    return configDir === undefined ? {} : { configDir };
  }

  #of(record: ConversationRecord): OnDisk | undefined {
    return this.#known.get(record.info.sessionId ?? '');
  }

  /** The status of the last turns. Unchanged transcripts are not read again. */
  async #endsOf(infos: readonly SessionInfo[]): Promise<Map<SessionInfo, string | null>> {
    const ends = new Map<SessionInfo, string | null>();
    for (let at = 0; at < infos.length; at += LIMITS.ends) {
      const read = infos.slice(at, at + LIMITS.ends).map(async (info) => {
        const known = this.#known.get(info.id);
        const isSame = known?.info.updatedAt === info.updatedAt && known.info.sizeBytes === info.sizeBytes;
        ends.set(info, known && isSame ? known.end : await lastTurnOf(info.path));
      });
      await Promise.all(read);
    }
    return ends;
  }

  #show(info: SessionInfo, end: string | null, registry: ConversationRegistry): void {
    const known = this.#known.get(info.id);
    if (known) {
      if (info.sizeBytes > known.info.sizeBytes) known.grownAt = Date.now();
      const changed = known.info.updatedAt !== info.updatedAt || known.info.title !== info.title || known.end !== end;
      Object.assign(known, { info, end });
      return this.#settle(known, changed);
    }
    const parent = info.forkedFrom === undefined ? null : `d-${info.forkedFrom}`;
    const record = registry.add(this.info, `d-${info.id}`, { ...infoOf(info), startedAt: info.createdAt, parent });
    const transcript = new DiskTranscript(record, info.id, this.#place);
    // A recent, unfinished transcript is still being written.
    const grownAt = end === 'unfinished' ? Math.min(info.updatedAt, Date.now()) : 0;
    const entry: OnDisk = { info, record, transcript, end, used: 0, watched: false, grownAt };
    this.#known.set(info.id, entry);
    record.load = () => this.#load(entry);
    record.controls = this.#controls(entry);
    this.#settle(entry, true);
  }

  /** If a conversation has just grown, it runs in another process; resuming it here is not offered. */
  #settle({ info, record, transcript, end, grownAt }: OnDisk, changed: boolean): void {
    const isActive = Date.now() - grownAt < PACE.activeMs;
    const isRunning = isActive && mayGoOn(end);
    const life = isActive ? 'open' : 'closed';
    if (!changed && record.activity.life === life) return;
    transcript.settle(!isRunning, end);
    record.change(infoOf(info), { life, running: Number(isRunning), outcome: end });
  }

  async #load(entry: OnDisk): Promise<void> {
    entry.used = Date.now();
    await entry.transcript.read();
    entry.record.load = undefined;
    this.#settle(entry, true);
    const open = [...this.#known.values()].filter(({ record, watched }) => record.load === undefined && !watched);
    const oldest = open.sort((a, b) => a.used - b.used).slice(0, Math.max(0, open.length - LIMITS.open));
    for (const old of oldest) if (old !== entry) this.#unload(old);
  }

  #unload(entry: OnDisk): void {
    entry.transcript.forget();
    entry.record.load = () => this.#load(entry);
  }

  #controls(entry: OnDisk): ConversationRecord['controls'] {
    const { id } = entry.info;
    return {
      resume: async (text) => this.#resumed(entry, this.#open(entry, false), text),
      fork: async (text, _actor, before) => {
        if (before !== undefined) return this.#forkedBefore(entry, before, text);
        if (text !== undefined) return this.#resumed(entry, this.#open(entry, true), text, entry.record.id);
        const copy = await forkSession(id, this.#place);
        await this.refresh();
        return `d-${copy.id}`;
      },
      rename: async (title) => {
        await renameSession(id, title, this.#place);
        await this.refresh();
        entry.grownAt = 0;
        this.#settle(entry, true);
      },
    };
  }

  /** Continues a copy that ends before a prompt. */
  async #forkedBefore(entry: OnDisk, before: number, text: string | undefined): Promise<string> {
    await entry.record.load?.();
    const copy = await forkSession(entry.info.id, { ...this.#place, upTo: answerBefore(entry.record, before) });
    await this.refresh();
    const known = this.#known.get(copy.id);
    if (!known) throw new Refusal('failed', 'The copy is not in the list of conversations.');
    try {
      return await this.#resumed(known, this.#open(known, false), text, entry.record.id);
    } catch (error) {
      // Nobody wants a copy that could not be continued. One that runs but refuses the prompt stays.
      if (this.#registry?.bySession(copy.id) === undefined) await deleteSession(copy.id, this.#place).catch(() => {});
      throw error;
    } finally {
      this.#forget(copy.id, known.record);
    }
  }

  #open({ info }: OnDisk, forkSession: boolean): Session {
    const { open, configDir } = this.#options;
    const { cwd } = info;
    if (open) return open({ resume: info.id, forkSession, cwd, configDir });
    const how = { resume: info.id, forkSession, canUseTool: askInspector(), includePartialMessages: true };
    return openSession({ ...how, ...this.#place, ...(cwd !== undefined && { cwd }) });
  }

  async #resumed(
    entry: OnDisk,
    session: Session,
    text: string | undefined,
    parent: string | null = null,
  ): Promise<string> {
    const record = this.#process.adopt(session, parent);
    try {
      await session.ready;
    } catch (error) {
      await session.close();
      // The conversation stays the one on disk.
      this.#registry?.remove(record.id);
      throw isCoxswainError(error, 'cli-not-found') ? new Refusal('not-possible', NO_CLI) : error;
    }
    if (parent === null) this.#forget(entry.info.id, entry.record);
    if (text !== undefined && text.trim() !== '') await record.controls.send?.(text, { by: 'local' });
    return record.id;
  }

  #forget(id: string, record: ConversationRecord): void {
    this.#known.delete(id);
    this.#registry?.remove(record.id);
  }

  /** Polls the watched conversations. Never rejects. */
  async #poll(): Promise<void> {
    if (this.#busy || !this.#registry?.hasReaders) return;
    this.#busy = true;
    try {
      this.#polls += 1;
      if (this.#polls % PACE.listEvery === 0) await this.refresh();
      if (this.#polls % PACE.countEvery === 1) void this.#count(this.#registry, 0);
      for (const entry of this.#known.values()) if (entry.watched) await this.#follow(entry);
    } catch {
      // A folder that is unreadable now may be readable at the next poll.
    } finally {
      this.#busy = false;
    }
  }

  async #follow(entry: OnDisk): Promise<void> {
    const { mtimeMs, size } = await stat(entry.info.path);
    if (entry.record.load !== undefined || !entry.transcript.isOlderThan(mtimeMs, size)) return;
    await entry.transcript.readMore();
    entry.transcript.settle(false);
    entry.record.change({ updatedAt: Math.floor(mtimeMs) });
  }
}

/** A text may be followed by a tool call of the same answer; an error, a limit or an interrupt ends the turn. */
function mayGoOn(end: string | null): boolean {
  return end === null || end === 'unfinished' || end === 'completed';
}

function infoOf(
  info: SessionInfo,
): Pick<ConversationRecord['info'], 'title' | 'sessionId' | 'updatedAt' | 'cwd' | 'gitBranch'> {
  const { id, title, updatedAt, cwd = null, gitBranch = null } = info;
  return { title, sessionId: id, updatedAt, cwd, gitBranch };
}
