import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Conversation, EntriesPage, Entry, Frame, FramesPage, RecordingInfo } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { attempt } from '../layout/toasts.tsx';

const PAGE = 1_000;
/** Longest pause that is replayed; longer ones, as in conversations that ran for days, are shortened. */
const MAX_GAP_MS = 10_000;
/** Longest time played between two frames: a hidden tab or a sleeping machine gets no frames. */
const MAX_FRAME_MS = 250;

/** The available speeds. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;

/** A step and its original time; pauses between steps may be shortened. */
interface Step extends Frame {
  readonly time: number;
}

/** A replay: the transcript as it was at a moment. */
export class Recording {
  readonly conversation: string;
  readonly durationMs: number;
  readonly speed = signal<number>(1);
  readonly playing = signal(false);
  /** The current moment, in ms since the start. */
  readonly position = signal(0);
  readonly version: ReadonlySignal<number>;
  readonly total: ReadonlySignal<number>;
  /** The original time of the current moment, to a quarter of a second. */
  readonly time: ReadonlySignal<number>;
  private readonly frames: readonly Step[];
  private readonly shown: ReadonlySignal<{
    readonly entries: ReadonlyMap<number, Entry>;
    readonly total: number;
    readonly at: number;
  }>;
  private entries = new Map<number, Entry>();
  private applied = 0;
  private lastTick = 0;

  constructor(conversation: string, frames: readonly Step[], durationMs: number) {
    this.conversation = conversation;
    this.frames = frames;
    this.durationMs = Math.max(durationMs, frames.at(-1)?.atMs ?? 0);
    this.shown = computed(() => this.until(this.position.value));
    this.version = computed(() => this.shown.value.at);
    this.total = computed(() => this.shown.value.total);
    this.time = computed(() => {
      const last = this.frames[this.shown.value.at - 1];
      return last === undefined ? 0 : last.time + Math.floor((this.position.value - last.atMs) / 250) * 250;
    });
  }

  /** Fetches the recording of a conversation. For other conversations, the times of their entries are used. */
  static async load(conversation: Conversation): Promise<Recording | null> {
    let loaded: Recording | null = null;
    await attempt(async () => {
      loaded = conversation.kind === 'recording' ? await ofCassette(conversation.id) : await ofEntries(conversation.id);
    });
    return loaded;
  }

  at(n: number): Entry | undefined {
    return this.shown.value.entries.get(n);
  }

  ensure(): void {
    // All entries are loaded from the start.
  }

  /** Continues to play; starts over if it is at the end. */
  play(): void {
    if (this.position.peek() >= this.durationMs) this.position.value = 0;
    this.playing.value = true;
    this.lastTick = performance.now();
    requestAnimationFrame(this.tick);
  }

  pause(): void {
    this.playing.value = false;
  }

  /** Moves to another moment. */
  seek(ms: number): void {
    this.position.value = Math.max(0, Math.min(this.durationMs, ms));
  }

  private readonly tick = (): void => {
    if (!this.playing.peek()) return;
    const time = performance.now();
    this.seek(this.position.peek() + Math.min(MAX_FRAME_MS, time - this.lastTick) * this.speed.peek());
    this.lastTick = time;
    if (this.position.peek() >= this.durationMs) this.playing.value = false;
    else requestAnimationFrame(this.tick);
  };

  /** Applies the frames up to a moment; if it is later than the last one, only the new frames. */
  private until(ms: number): {
    readonly entries: ReadonlyMap<number, Entry>;
    readonly total: number;
    readonly at: number;
  } {
    const before = this.frames[this.applied - 1];
    if (before !== undefined && before.atMs > ms) {
      this.entries = new Map();
      this.applied = 0;
    }
    for (
      let frame = this.frames[this.applied];
      frame !== undefined && frame.atMs <= ms;
      frame = this.frames[this.applied]
    ) {
      this.entries.set(frame.entry.n, frame.entry);
      this.applied++;
    }
    let total = 0;
    for (const n of this.entries.keys()) total = Math.max(total, n + 1);
    return { entries: this.entries, total, at: this.applied };
  }
}

async function ofCassette(conversation: string): Promise<Recording> {
  const { recordings } = await getJson<{ recordings: readonly RecordingInfo[] }>('api/recordings');
  const found = recordings.find((recording) => recording.conversation === conversation);
  if (found === undefined) return ofEntries(conversation);
  const frames: Step[] = [];
  for (;;) {
    const url = `api/recordings/${encodeURIComponent(found.id)}/frames?from=${frames.length}&limit=${PAGE}`;
    const page = await getJson<FramesPage>(url);
    frames.push(...page.frames.map((frame) => ({ ...frame, time: (found.recordedAt ?? 0) + frame.atMs })));
    if (page.frames.length === 0 || frames.length >= page.total)
      return new Recording(conversation, frames, page.durationMs);
  }
}

async function ofEntries(conversation: string): Promise<Recording> {
  const entries: Entry[] = [];
  for (;;) {
    const url = `api/conversations/${encodeURIComponent(conversation)}/entries?from=${entries.length}&limit=${PAGE}`;
    const page = await getJson<EntriesPage>(url);
    entries.push(...page.entries);
    if (page.entries.length === 0 || entries.length >= page.total) break;
  }
  const frames = framesOf(entries);
  return new Recording(conversation, frames, frames.at(-1)?.atMs ?? 0);
}

/** Each entry at its time, and each tool again when it ended. */
function framesOf(entries: readonly Entry[]): readonly Step[] {
  const steps: { time: number; entry: Entry }[] = [];
  let last = 0;
  for (const entry of entries) {
    last = Math.max(last, entry.at ?? last);
    if (entry.kind === 'tool' && entry.startedAt !== null && entry.endedAt !== null) {
      const running: Entry = { ...entry, state: 'running', result: null, endedAt: null, durationMs: null };
      steps.push({ time: entry.startedAt, entry: running }, { time: entry.endedAt, entry });
    } else steps.push({ time: last, entry });
  }
  steps.sort((a, b) => a.time - b.time || a.entry.n - b.entry.n);
  let atMs = 0;
  return steps.map(({ time, entry }, index) => {
    const before = steps[index - 1]?.time ?? time;
    atMs += Math.min(MAX_GAP_MS, time - before);
    return { atMs, entry, time };
  });
}
