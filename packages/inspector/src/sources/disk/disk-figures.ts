import { getSession, getSessionMessages, readSessionLines, type SessionInfo } from 'coxswain/transcripts';
import type { CostInfo } from '../../api.ts';
import { addCost, NO_COST } from '../../conversations/cost.ts';
import type { EndedTurn } from '../../stats/aggregates.ts';
import { type DiskTurn, turnsIn } from './disk-turns.ts';

/** Bytes read in total and per file, number of answer ids kept, and quiet time after which the last turn of a file has ended. */
const LIMITS = { bytes: 256 * 1024 * 1024, fileBytes: 64 * 1024 * 1024, answers: 500_000, quietMs: 15_000 };

/** What a conversation has cost, and the model of its last turn. */
export interface DiskSum {
  readonly cost: CostInfo;
  readonly model: string | null;
}

/** Counts each turn of the transcripts once. */
export class DiskFigures {
  /** The size of a file when it was counted, and whether its last turn had ended. */
  readonly #counted = new Map<string, { readonly size: number; readonly ended: boolean }>();
  readonly #answers = new Set<string>();
  readonly #place: { readonly configDir?: string };
  readonly #summed: (id: string, sum: DiskSum) => void;
  #running: Promise<void> | undefined;

  /** `summed` is called with the sum of each transcript that was read. */
  constructor(place: { readonly configDir?: string }, summed: (id: string, sum: DiskSum) => void) {
    this.#place = place;
    this.#summed = summed;
  }

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
      const { id, sizeBytes, updatedAt } = session;
      const before = this.#counted.get(id);
      if (before?.size === sizeBytes && before.ended) continue;
      if (sizeBytes > LIMITS.fileBytes || bytes + sizeBytes > LIMITS.bytes) continue;
      bytes += sizeBytes;
      const ended = Date.now() - updatedAt > LIMITS.quietMs;
      const turns = await turnsOf(session, this.#place);
      const isGrown = turns.some(({ answers }) => new Set(answers.map((id) => this.#answers.has(id))).size === 2);
      const uncounted = isGrown ? await turnsOf(session, this.#place, new Set(this.#answers)) : turns;
      for (const turn of ended ? uncounted : uncounted.slice(0, -1)) this.#add(turn, session, add);
      this.#counted.set(id, { size: sizeBytes, ended });
      this.#summed(id, sumOf(turns));
    }
  }

  #add(turn: DiskTurn, { id, cwd }: SessionInfo, add: (turn: EndedTurn) => void): void {
    if (turn.answers.every((id) => this.#answers.has(id)) || this.#answers.size > LIMITS.answers) return;
    for (const answer of turn.answers) this.#answers.add(answer);
    const { startedAt, endedAt, failed, cost, byModel, byTool } = turn;
    const figures = { conversation: `d-${id}`, project: cwd ?? null, cost, byModel, byTool };
    add({ ...figures, at: endedAt, durationMs: endedAt - startedAt, ok: !failed });
  }
}

function sumOf(turns: readonly DiskTurn[]): DiskSum {
  // The first answer of a turn is that of the conversation itself, not of a subagent.
  const [model = null] = Object.keys(turns.findLast(({ answers }) => answers.length > 0)?.byModel ?? {});
  return { cost: turns.map(({ cost }) => cost).reduce(addCost, NO_COST), model };
}

/** The turns of a conversation, without the answers that were counted. */
async function turnsOf(
  { id, path }: SessionInfo,
  place: { readonly configDir?: string },
  counted: ReadonlySet<string> = new Set(),
): Promise<DiskTurn[]> {
  try {
    const { subagents } = await getSession(id, place);
    const messages = [];
    for (const subagent of subagents) {
      messages.push(...(await getSessionMessages(id, { ...place, agentId: subagent.id }).catch(() => [])));
    }
    return await turnsIn(readSessionLines(path), messages, counted);
  } catch {
    return []; // The file was removed or is unreadable.
  }
}
