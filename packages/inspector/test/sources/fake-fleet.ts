import { assistantMessage, resultMessage } from '@coxswain/testkit';
import type { PermissionRequest } from 'coxswain';
import type {
  FleetAnswer,
  FleetApproval,
  FleetConversation,
  FleetItem,
  FleetTurnInfo,
  WatchableFleet,
} from '../../src/sources/fleet/watchable-fleet.ts';

/** An error of the fleet, with a code. */
class ApprovalClosed extends Error {
  readonly code = 'approval-closed';
}

/** A fleet without a database, driven by a test. */
export class FakeFleet implements WatchableFleet {
  readonly calls: string[] = [];
  readonly hashes: string[] = [];
  readonly #turns: FleetTurnInfo[] = [];
  readonly #items = new Map<string, FleetItem[]>();
  readonly #approvals: (FleetApproval & { state: string })[] = [];
  readonly #audit: { approval: string; kind: string; by: string; from: string | null }[] = [];
  readonly #waiting = new Set<() => void>();
  #happened = 0;
  #seq = 0;

  /** A turn with its items so far. */
  add(key: string, prompt: string, ...items: string[]): FleetTurnInfo {
    const turn: FleetTurnInfo = {
      ...{
        id: `turn-${this.#turns.length + 1}`,
        key,
        seq: this.#turns.length + 1,
        state: 'sent',
        prompt,
        outcome: null,
      },
      ...{ costUsd: 0.25, submittedBy: 'ann', resendOf: null, createdAt: Date.now(), endedAt: null },
    };
    this.#turns.push(turn);
    this.#items.set(turn.id, []);
    for (const text of items) this.say(turn.id, text);
    return turn;
  }

  say(turn: string, text: string): void {
    this.#item(turn, { kind: 'message', message: assistantMessage(text) });
  }

  /** A turn that no worker has claimed. */
  queue(key: string, prompt: string): FleetTurnInfo {
    const turn = { ...this.add(key, prompt), state: 'waiting' };
    this.#turns[this.#turns.length - 1] = turn;
    this.#happen();
    return turn;
  }

  end(id: string, outcome: NonNullable<FleetTurnInfo['outcome']> = { kind: 'completed' }): void {
    const at = this.#turns.findIndex((turn) => turn.id === id);
    const turn = this.#turns[at];
    if (!turn) return;
    this.#turns[at] = { ...turn, state: 'done', outcome, endedAt: Date.now() };
    if (outcome.kind === 'completed') this.#item(id, { kind: 'message', message: resultMessage() });
    this.#item(id, { kind: 'outcome', outcome });
  }

  /** Removes the items of an old turn, as a fleet eventually does. */
  prune(turn: string): void {
    this.#items.delete(turn);
  }

  ask(turn: string, key: string, request: PermissionRequest): void {
    const none = { answer: null, by: null, answeredAt: null };
    this.#approvals.push({
      id: `a-${request.id}`,
      key,
      turn,
      request,
      ...none,
      ...{ hash: `hash of ${request.id}`, groups: ['release'], expiresAt: null, onExpiry: null },
      requestedAt: Date.now(),
      parkedAt: null,
      state: 'pending',
    });
    this.#item(turn, { kind: 'permission-requested', approval: `a-${request.id}`, request });
  }

  /** Parks a turn that waits for an approval, as if that had been `agoMs` ago. */
  park(id: string, { agoMs = 0, expiresInMs }: { agoMs?: number; expiresInMs?: number } = {}): void {
    const parkedAt = Date.now() - agoMs;
    for (const [at, turn] of this.#turns.entries()) if (turn.id === id) this.#turns[at] = { ...turn, state: 'parked' };
    for (const [at, approval] of this.#approvals.entries()) {
      if (approval.turn !== id) continue;
      const expiry = { expiresAt: Date.now() + (expiresInMs ?? 0), onExpiry: 'deny' as const };
      this.#approvals[at] = { ...approval, parkedAt, ...(expiresInMs !== undefined && expiry) };
    }
    this.#item(id, { kind: 'state', state: 'parked', worker: null, attempt: 0 });
  }

  async conversations(): Promise<FleetConversation[]> {
    return [...new Set(this.#turns.map(({ key }) => key))].map((key) => {
      const turns = this.#turns.filter((turn) => turn.key === key);
      return {
        ...{
          key,
          tenant: 'default',
          sessionId: null,
          turns: turns.length,
          waiting: turns.filter(({ state }) => state === 'waiting').length,
          costUsd: turns.length * 0.25,
        },
        parked: turns.some(({ state }) => state === 'parked'),
        ...{
          running: turns.some(({ state }) => state !== 'done' && state !== 'parked'),
          createdAt: 1,
          updatedAt: Date.now(),
        },
        outcome: turns.findLast(({ state }) => state === 'done')?.outcome?.kind ?? null,
      };
    });
  }

  async turns({
    key,
    state,
    outcome,
  }: {
    key?: string;
    state?: string;
    outcome?: string;
  } = {}): Promise<FleetTurnInfo[]> {
    const asked = (turn: FleetTurnInfo): boolean =>
      (key ?? turn.key) === turn.key &&
      (state ?? turn.state) === turn.state &&
      (outcome === undefined || turn.outcome?.kind === outcome);
    return this.#turns.filter(asked).reverse();
  }

  async turn(id: string): ReturnType<WatchableFleet['turn']> {
    const info = async (): Promise<FleetTurnInfo> => {
      const found = this.#turns.find((turn) => turn.id === id);
      if (!found) throw new Error(`There is no turn ${id}.`);
      return found;
    };
    return { follow: (options) => this.#follow(id, options), info };
  }

  async approvals({ id, state = 'pending' }: { id?: string; state?: string } = {}): Promise<FleetApproval[]> {
    return this.#approvals.filter((approval) => approval.state === state && (id === undefined || approval.id === id));
  }

  async answer(
    id: string,
    answer: FleetAnswer,
    { by, hash, from = null }: { by: string; hash: string; from?: string | null },
  ): Promise<void> {
    this.hashes.push(hash);
    this.calls.push(`${by}: ${answer.decision} ${id}`);
    const at = this.#approvals.findIndex((approval) => approval.id === id && approval.state === 'pending');
    const approval = this.#approvals[at];
    if (!approval) throw new ApprovalClosed('It was answered before.');
    this.#approvals[at] = { ...approval, state: 'answered', answer, by, answeredAt: Date.now() };
    this.#audit.push({ approval: id, kind: 'answered', by, from });
    const { turn, request } = approval;
    this.#item(turn, { kind: 'permission-answered', requestId: request.id, decision: answer.decision });
  }

  async seen(id: string, { by, from = null }: { by: string; from?: string | null }): Promise<void> {
    this.calls.push(`${by}: seen ${id}`);
    this.#audit.push({ approval: id, kind: 'seen', by, from });
  }

  async audit({ approval }: { approval: string }) {
    return this.#audit.filter((one) => one.approval === approval);
  }

  async cancel(id: string, { by }: { by: string }): Promise<string> {
    this.calls.push(`${by}: cancel ${id}`);
    const turn = this.#turns.find((one) => one.id === id);
    if (turn?.state !== 'waiting') return turn?.state === 'done' ? 'too-late' : 'interrupt';
    this.end(id, { kind: 'cancelled' });
    return 'remove';
  }

  async resend(id: string, { by }: { by: string }): Promise<void> {
    this.calls.push(`${by}: resend ${id}`);
    const turn = this.#turns.find((one) => one.id === id);
    if (!turn) throw new Error(`There is no turn ${id}.`);
    const { key, prompt } = turn;
    this.queue(key, String(prompt));
    this.#turns[this.#turns.length - 1] = { ...(this.#turns.at(-1) ?? turn), resendOf: id };
  }

  /** Lets a worker claim a turn. */
  start(turn: string, worker: string): void {
    this.#item(turn, { kind: 'state', state: 'sent', worker, attempt: 1 });
  }

  async submit({ key, prompt, by }: { key: string; prompt: string; by: string }): Promise<void> {
    this.calls.push(`${by}: submit ${key} ${prompt}`);
    this.queue(key, prompt);
  }

  async *events({ signal }: { signal: AbortSignal }): AsyncIterable<{ kind: string; key: string | null }> {
    for (let seen = this.#happened; !signal.aborted; ) {
      if (seen < this.#happened) {
        seen += 1;
        yield { kind: 'turn-ended', key: null };
      } else await this.#change(signal);
    }
  }

  async stats() {
    return {
      turns: { waiting: 3, delayed: 1, running: 1, parked: 2 },
      outcomesLastHour: { completed: 7 },
      workers: [
        {
          ...{ id: 'w1', name: 'one', host: 'h', slots: 4, running: 1, draining: false, alive: true, heartbeatAt: 1 },
          agents: [{ name: 'review', version: '2', cli: '2.1.311' }],
        },
        { id: 'w2', name: 'two', host: 'h', slots: 4, running: 0, draining: false, alive: false, heartbeatAt: 1 },
      ],
      pauses: [{ credential: 'default', reason: 'rate-limit', until: 99 }],
      unserved: [{ agent: 'deploy', waiting: 3, missing: 'agent', reason: 'no worker has the agent deploy' }],
      heldBack: [
        { tenant: 'team', waiting: 2, running: 1, usdToday: 0.25, maxConcurrent: 1, reached: 'maxConcurrent' },
        { tenant: 'lab', waiting: 1, running: 0, usdToday: 5, maxUsdPerDay: 4.5, reached: 'maxUsdPerDay' },
      ],
    };
  }

  async spend(): Promise<{ day: string; usd: number }[]> {
    return [];
  }

  async *#follow(id: string, { after, signal }: { after: number; signal: AbortSignal }): AsyncIterable<FleetItem> {
    for (let last = after; !signal.aborted; ) {
      const next = this.#items.get(id)?.find(({ seq }) => seq > last);
      if (next) {
        last = next.seq;
        yield next;
        if (next.kind === 'outcome') return;
      } else if (!this.#items.has(id)) return;
      else await this.#change(signal);
    }
  }

  #item(turn: string, body: { kind: string; [field: string]: unknown }): void {
    this.#seq += 1;
    // The bodies above are those of items.
    this.#items.get(turn)?.push({ seq: this.#seq, at: Date.now(), ...body } as unknown as FleetItem);
    this.#happen();
  }

  #happen(): void {
    this.#happened += 1;
    for (const wake of [...this.#waiting]) wake();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }
}
