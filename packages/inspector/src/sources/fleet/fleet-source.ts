import type { QueueAction, QueuedTurn, QueueInfo, SourceInfo } from '../../api.ts';
import type { SettledBy } from '../../approvals/approval-store.ts';
import type { Actor, Controls } from '../../conversations/controls.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { Refusal } from '../../refusal.ts';
import { oneLine } from '../../transcript/cut.ts';
import { contentText } from '../../transcript/fields.ts';
import type { ConversationRegistry, Source } from '../source.ts';
import { FleetTranscript } from './fleet-transcript.ts';
import type {
  FleetAnswer,
  FleetApproval,
  FleetConversation,
  FleetQuota,
  FleetTurnInfo,
  FleetWorker,
  WatchableFleet,
} from './watchable-fleet.ts';
import { WorkerNames } from './worker-names.ts';

/**
 * Conversations and open approvals shown, turns shown of a queue, turns searched for one that was sent again, and the time in
 * which changes are collected.
 */
const LIMITS = { conversations: 500, approvals: 1_000, turns: 100, resent: 1_000, audit: 100, collectMs: 200 };

interface InFleet {
  conversation: FleetConversation;
  readonly record: ConversationRecord;
  readonly transcript: FleetTranscript;
}

/** The conversations of a fleet, on all its machines. */
export class FleetSource implements Source {
  readonly info: SourceInfo;
  readonly #fleet: WatchableFleet;
  readonly #known = new Map<string, InFleet>();
  /** Open approvals by conversation and request. */
  readonly #approvals = new Map<string, FleetApproval>();
  readonly #workers: WorkerNames;
  readonly #end = new AbortController();
  #registry: ConversationRegistry | undefined;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;

  constructor(fleet: WatchableFleet, number: number) {
    this.#fleet = fleet;
    this.#workers = new WorkerNames(fleet);
    this.info = { id: number === 0 ? 'fleet' : `fleet-${number + 1}`, kind: 'fleet', label: 'fleet' };
  }

  async start(registry: ConversationRegistry): Promise<void> {
    this.#registry = registry;
    await this.refresh();
    void this.#listen();
  }

  /** Concurrent calls share one refresh. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  watched(record: ConversationRecord, isWatched: boolean): void {
    const entry = [...this.#known.values()].find((one) => one.record === record);
    if (isWatched) entry?.transcript.follow();
    else entry?.transcript.unfollow();
  }

  async queues(): Promise<readonly QueueInfo[]> {
    const [numbers, waiting, dead, newest] = await Promise.all([
      this.#fleet.stats(),
      this.#fleet.turns({ state: 'waiting', limit: LIMITS.turns }),
      this.#fleet.turns({ outcome: 'dead', limit: LIMITS.turns }),
      this.#fleet.turns({ limit: LIMITS.resent }),
    ]);
    const resent = new Set(newest.map(({ resendOf }) => resendOf));
    const workers = numbers.workers.map((worker) => ({
      id: worker.id,
      name: `${worker.name} (${worker.host})`,
      state: worker.alive ? (worker.draining ? ('draining' as const) : ('working' as const)) : ('lost' as const),
      slots: worker.slots,
      busy: worker.running,
      agents: (worker.agents ?? []).map(agentText),
      seenAt: worker.heartbeatAt,
    }));
    const alive = workers.filter(({ state }) => state !== 'lost');
    return [
      {
        id: this.info.id,
        source: this.info.id,
        label: this.info.label,
        state: alive.length > 0 ? 'open' : 'no worker',
        slots: alive.reduce((sum, { slots }) => sum + slots, 0),
        queued: numbers.turns.waiting + numbers.turns.delayed,
        running: numbers.turns.running,
        parked: numbers.turns.parked,
        ended: numbers.outcomesLastHour,
        pauses: numbers.pauses.map(({ credential, reason, until }) => ({ scope: credential, reason, until })),
        heldBack: numbers.heldBack.map(heldBackOf),
        unserved: (numbers.unserved ?? []).map(({ waiting, reason }) => ({ waiting, reason })),
        workers,
        waiting: waiting.map((turn) => this.#queued(turn)),
        dead: dead.filter(({ id }) => !resent.has(id)).map((turn) => this.#queued(turn)),
      },
    ];
  }

  async actOnQueue(queue: string, { action, turn }: QueueAction, { by }: Actor): Promise<boolean> {
    if (queue !== this.info.id) return false;
    if (action === 'resend') await this.#resend(turn, by);
    else if ((await this.#fleet.cancel(turn, { by })) === 'too-late') {
      throw new Refusal('not-possible', 'This turn has already ended.');
    }
    return true;
  }

  spending(days: number): Promise<readonly { readonly day: string; readonly usd: number }[]> {
    return this.#fleet.spend({ days });
  }

  async close(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#timer);
    for (const { transcript } of this.#known.values()) transcript.unfollow();
  }

  async #refresh(): Promise<void> {
    const [conversations, approvals] = await Promise.all([
      this.#fleet.conversations({ limit: LIMITS.conversations }),
      this.#fleet.approvals({ limit: LIMITS.approvals }),
    ]);
    const keys = new Set(conversations.map(({ key }) => key));
    for (const [key, { record }] of this.#known) {
      if (keys.has(key)) continue;
      this.#known.delete(key);
      this.#registry?.remove(record.id);
    }
    for (const conversation of conversations) this.#show(conversation);
    await this.#showApprovals(approvals);
    this.#registry?.queuesChanged();
  }

  #show(conversation: FleetConversation): void {
    const { key } = conversation;
    const known = this.#known.get(key) ?? this.#added(conversation);
    if (!known) return;
    known.conversation = conversation;
    const { sessionId, updatedAt, running, waiting, parked, outcome, costUsd } = conversation;
    known.record.costs.setUsd(costUsd);
    known.record.change(
      { sessionId, updatedAt, key },
      { running: Number(running), queued: waiting, parked, outcome: outcome ?? null },
    );
    known.transcript.wake();
  }

  #added(conversation: FleetConversation): InFleet | undefined {
    const { key, createdAt } = conversation;
    const id = `f-${Buffer.from(`${this.info.id} ${key}`).toString('base64url')}`;
    const registry = this.#registry;
    if (!registry) return undefined;
    const record = registry.add(this.info, id, { title: key, key, startedAt: createdAt });
    const transcript = new FleetTranscript(this.#fleet, key, record, this.#workers);
    const entry = { conversation, record, transcript };
    this.#known.set(key, entry);
    record.load = () => transcript.read();
    record.controls = this.#controls(entry);
    return entry;
  }

  #controls(entry: InFleet): Controls {
    const { key } = entry.conversation;
    const cancel = async (id: string | undefined, by: string): Promise<void> => {
      if (id === undefined) throw new Refusal('not-possible', 'There is no such turn.');
      await this.#fleet.cancel(id, { by });
    };
    return {
      send: async (prompt, { by }) => {
        await this.#fleet.submit({ key, tenant: entry.conversation.tenant, prompt, by });
      },
      interrupt: async ({ by }) =>
        cancel((await this.#openTurns(key)).find(({ state }) => state !== 'waiting')?.id, by),
      cancel: async (turn, { by }) => {
        const waiting = async () => (await this.#openTurns(key)).findLast(({ state }) => state === 'waiting');
        await cancel(turn ?? (await waiting())?.id, by);
      },
      seen: async ({ by }) => {
        const shown = [...this.#approvals.values()].filter((approval) => approval.key === key);
        // The page works without it: the user of the database may only read.
        await Promise.allSettled(shown.map(({ id }) => this.#fleet.seen(id, { by, from: 'inspector' })));
      },
      answer: async (requestId, decision, { by }) => {
        // As it was shown: the fleet refuses the answer if the agent asks for something else.
        const approval = this.#approvals.get(nameOf(key, requestId));
        if (!approval) throw new Refusal('not-found', 'This request no longer exists.');
        // The inspector never answers with `decideLater`.
        await this.#fleet.answer(approval.id, decision as FleetAnswer, { by, hash: approval.hash, from: 'inspector' });
      },
    };
  }

  /** If two people send a dead turn again, only the first succeeds. */
  async #resend(id: string, by: string): Promise<void> {
    const { key } = await (await this.#fleet.turn(id)).info();
    const turns = await this.#fleet.turns({ key, limit: LIMITS.resent });
    if (turns.some(({ resendOf }) => resendOf === id)) {
      throw new Refusal('not-possible', 'This turn has already been sent again.');
    }
    await this.#fleet.resend(id, { by });
  }

  /** Turns that wait or run, oldest first. */
  async #openTurns(key: string): Promise<FleetTurnInfo[]> {
    const turns = await this.#fleet.turns({ key, limit: LIMITS.turns });
    return turns.filter(({ state }) => state !== 'done').sort((a, b) => a.seq - b.seq);
  }

  /** Opens new requests and closes those that no longer wait. */
  async #showApprovals(pending: readonly FleetApproval[]): Promise<void> {
    const names = new Set(pending.map(({ key, request }) => nameOf(key, request.id)));
    const removed = [...this.#approvals].filter(([name]) => !names.has(name));
    for (const [name, { id, key, request }] of removed) {
      const [end] = await this.#fleet.approvals({ id, state: 'answered' });
      this.#approvals.delete(name);
      const { record } = this.#known.get(key) ?? {};
      const decision = end?.answer?.decision ?? 'void';
      record?.answered(request.id, decision, end?.answeredAt ?? Date.now(), await this.#auditOf(id, end?.by ?? null));
    }
    for (const approval of pending) {
      const name = nameOf(approval.key, approval.request.id);
      const { record } = this.#known.get(approval.key) ?? {};
      if (!record) continue;
      const before = this.#approvals.get(name);
      // The card shows what was asked first, so an answer counts for that.
      const hash = before?.hash ?? approval.hash;
      this.#approvals.set(name, { ...approval, hash });
      const { groups, expiresAt, onExpiry, parkedAt } = approval;
      const terms = { hash, groups, expiresAt, onExpiry, parkedAt };
      if (!before) record.ask(approval.request, approval.requestedAt, approval.turn, { terms });
      else if (before.expiresAt !== expiresAt || before.parkedAt !== parkedAt)
        record.changeTerms(approval.request.id, terms);
    }
  }

  /** Who has answered from where, and who has seen it, by the audit of the fleet. */
  async #auditOf(approval: string, by: string | null): Promise<SettledBy> {
    const records = (await this.#fleet.audit?.({ approval, limit: LIMITS.audit })) ?? [];
    const from = records.find(({ kind }) => kind === 'answered')?.from ?? null;
    const seenBy = records.flatMap((one) => (one.kind === 'seen' && one.by !== null ? [one.by] : []));
    return { by, from, seenBy: [...new Set(seenBy)] };
  }

  #queued({ id, key, prompt, createdAt, outcome }: FleetTurnInfo): QueuedTurn {
    const conversation = this.#known.get(key)?.record.id ?? null;
    const shown = (text: string): string => oneLine(this.#registry?.redact(text) ?? '');
    const note = outcome?.message == null ? null : shown(outcome.message);
    return { id, key, conversation, title: shown(contentText(prompt)), since: createdAt, note };
  }

  /** Refreshes shortly after each event. */
  async #listen(): Promise<void> {
    try {
      for await (const _ of this.#fleet.events({ signal: this.#end.signal })) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          // The database may be unreachable; the next event or the next list tries again.
          this.refresh().catch(() => {});
        }, LIMITS.collectMs);
      }
    } catch {
      // The fleet was closed; the page keeps what it shows.
    }
  }
}

function nameOf(key: string, requestId: string): string {
  return `${key}\n${requestId}`;
}

/** `review 2, CLI 2.1.327` */
function agentText({ name, version, cli }: NonNullable<FleetWorker['agents']>[number]): string {
  const agent = version === null ? name : `${name} ${version}`;
  return cli === null ? agent : `${agent}, CLI ${cli}`;
}

/** The limit that a tenant has reached. */
function heldBackOf(quota: FleetQuota): QueueInfo['heldBack'][number] {
  const { tenant, waiting, reached, running, maxConcurrent = 0, usdToday, maxUsdPerDay = 0 } = quota;
  const dollars = (usd: number): string => `$${usd.toFixed(2)}`;
  const reason =
    reached === 'maxConcurrent'
      ? `${running} of ${maxConcurrent} running`
      : `${dollars(usdToday)} of ${dollars(maxUsdPerDay)} spent today`;
  return { scope: tenant, waiting, reason };
}
