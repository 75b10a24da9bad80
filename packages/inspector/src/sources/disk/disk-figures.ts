import { readSessionLines, type SessionInfo } from 'coxswain/transcripts';
import type { EndedTurn } from '../../stats/aggregates.ts';
import { type DiskTurn, turnsIn } from './disk-turns.ts';

/** Bytes read in total and per file, number of answer ids kept, and quiet time after which the last turn of a file has ended. */
const LIMITS = { bytes: 256 * 1024 * 1024, fileBytes: 64 * 1024 * 1024, answers: 500_000, quietMs: 60_000 };

/** Counts each turn of the transcripts once. */
export class DiskFigures {
  /** The size of a file when it was counted, and whether its last turn had ended. */
  readonly #counted = new Map<string, { readonly size: number; readonly ended: boolean }>();
  readonly #answers = new Set<string>();
  #running: Promise<void> | undefined;

  /** Counts the new turns of these conversations, newest first. Concurrent calls share one pass. Never rejects. */
  count(sessions: readonly SessionInfo[], add: (turn: EndedTurn) => void): Promise<void> {
    this.#running ??= this.#countAll(sessions, add).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #countAll(sessions: readonly SessionInfo[], add: (turn: EndedTurn) => void): Promise<void> {
    let bytes = 0;
    for (const session of sessions) {
      const { id, path, sizeBytes, updatedAt } = session;
      const before = this.#counted.get(id);
      if (before?.size === sizeBytes && before.ended) continue;
      if (sizeBytes > LIMITS.fileBytes || bytes + sizeBytes > LIMITS.bytes) continue;
      bytes += sizeBytes;
      const ended = Date.now() - updatedAt > LIMITS.quietMs;
      const turns = await turnsOf(path);
      for (const turn of ended ? turns : turns.slice(0, -1)) this.#add(turn, `d-${id}`, add);
      this.#counted.set(id, { size: sizeBytes, ended });
    }
  }

  #add(turn: DiskTurn, conversation: string, add: (turn: EndedTurn) => void): void {
    if (turn.answers.every((id) => this.#answers.has(id)) || this.#answers.size > LIMITS.answers) return;
    for (const id of turn.answers) this.#answers.add(id);
    const { startedAt, endedAt, cost, byModel, failed } = turn;
    add({ at: endedAt, conversation, cost, byModel, durationMs: endedAt - startedAt, ok: !failed });
  }
}

async function turnsOf(path: string): Promise<DiskTurn[]> {
  try {
    return await turnsIn(readSessionLines(path));
  } catch {
    return []; // The file was removed or is unreadable.
  }
}
