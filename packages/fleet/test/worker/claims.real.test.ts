import { randomUUID } from 'node:crypto';
import { type Fleet, openFleet } from '@coxswain/fleet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { LeaseLostError } from '../../src/errors.ts';
import { fleetLimits } from '../../src/limits.ts';
import { openQueue } from '../../src/queue/pg-boss.ts';
import type { Queue } from '../../src/queue/queue.ts';
import type { TurnState } from '../../src/turn/turn-state.ts';
import { type Claim, claimTurn } from '../../src/worker/claim.ts';
import { passFence } from '../../src/worker/fence.ts';
import { markSent } from '../../src/worker/mark-sent.ts';
import { releaseTurn } from '../../src/worker/release-turn.ts';
import { retryTurn } from '../../src/worker/retry-turn.ts';
import { sweep } from '../../src/worker/sweep.ts';
import { TurnWriter } from '../../src/worker/writer.ts';
import { quick } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

const limits = fleetLimits(quick);
const { leaseMs } = limits;

/** The transitions of a turn's state that each step may cause. */
const ALLOWED: Readonly<Record<string, Readonly<Partial<Record<TurnState, readonly TurnState[]>>>>> = {
  claim: { waiting: ['claimed'] },
  send: { claimed: ['sent'] },
  commit: { claimed: ['done'], sent: ['done'] },
  release: { claimed: ['waiting'], sent: ['waiting'] },
  // A turn that was cancelled meanwhile ends.
  retry: { claimed: ['waiting', 'done'], sent: ['waiting', 'done'] },
  cancel: { waiting: ['done'] },
  expire: { claimed: ['waiting', 'done'], sent: ['waiting', 'done'] },
  submit: {},
};

const step = fc.record({
  kind: fc.constantFrom('submit', 'claim', 'claim', 'send', 'commit', 'release', 'retry', 'cancel', 'expire'),
  worker: fc.constantFrom('a', 'b', 'c'),
  /** Selects a claim (mostly the last one) or a turn. */
  back: fc.constantFrom(0, 0, 0, 1, 2, 3),
  replay: fc.constantFrom('never' as const, 'unanswered' as const),
  afterMs: fc.constantFrom(0, 0, 3_600_000),
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const noop = (): void => {};
const final = {
  outcome: { kind: 'cancelled', by: 'test', message: '' } as const,
  cost: undefined,
  sessionId: undefined,
  credential: 'default',
  warm: undefined,
  beforeCommit: async () => {},
  onRefused: noop,
};

/** One conversation, and a model of who holds it. */
class Conversation {
  readonly #fleet: Fleet;
  readonly #database: Database;
  readonly #queue: Queue;
  readonly #key: string;
  readonly #otherTenants: readonly string[];
  readonly #claims: { readonly claim: Claim; readonly writer: TurnWriter }[] = [];
  /** The claim that holds the conversation. */
  #holder: Claim | undefined;

  constructor(fleet: Fleet, database: Database, queue: Queue, key: string, otherTenants: readonly string[]) {
    this.#fleet = fleet;
    this.#database = database;
    this.#queue = queue;
    this.#key = key;
    this.#otherTenants = otherTenants;
  }

  async submit(): Promise<void> {
    await this.#fleet.submit({ key: this.#key, tenant: this.#key, prompt: 'go' });
  }

  async take({ kind, worker, back, replay, afterMs }: Step): Promise<void> {
    const before = await this.#turns();
    switch (kind) {
      case 'submit':
        await this.submit();
        break;
      case 'cancel':
        await this.#fleet.cancel((before.at(-1 - back) ?? before[0])?.id ?? '');
        break;
      case 'claim':
        await this.#claim(worker);
        break;
      case 'expire':
        await this.#expire(replay);
        break;
      default:
        await this.#write(kind, back, afterMs);
    }
    const after = await this.#turns();
    for (const { id, state } of before) {
      const now = after.find((turn) => turn.id === id)?.state;
      if (now !== state) expect(ALLOWED[kind]?.[state], `${kind} of a turn that is ${state}`).toContain(now);
    }
    for (const { state, outcomes } of after) expect(outcomes).toBe(state === 'done' ? 1 : 0);
    const running = after.filter(({ state }) => state === 'claimed' || state === 'sent');
    // Also while a turn waits for its next attempt.
    const firstOpen = after.find(({ state }) => state !== 'done');
    for (const turn of running) expect(turn.id).toBe(firstOpen?.id);
    expect(running).toHaveLength(this.#holder === undefined ? 0 : 1);
    expect(await this.#writers()).toEqual(this.#holder === undefined ? [] : [this.#holder.token]);
  }

  async #claim(worker: string): Promise<void> {
    const agents = [{ name: 'default', version: null, cli: null, place: null }];
    const more = { credential: 'default', leaseMs, exceptTenants: this.#otherTenants };
    const terms = { worker, agents, token: randomUUID(), ...more };
    const result = await claimTurn(this.#database, this.#queue, {
      ...terms,
      warmKeys: [],
      lockMs: 10_000,
      beforeCommit: async () => {},
    });
    if (result.kind !== 'claim') return;
    expect(this.#holder).toBeUndefined();
    const { claim } = result;
    this.#holder = claim;
    const parts = { database: this.#database, limits, claim, worker, until: () => 0, failed: noop, renewed: noop };
    this.#claims.push({ claim, writer: new TurnWriter(parts) });
  }

  async #expire(replay: 'never' | 'unanswered'): Promise<void> {
    const database = this.#database;
    const expire = `update @.conversation set lease_until = now() - interval '1 s' where key = $1 and owner is not null`;
    await database.query(expire, [this.#key]);
    const terms = { held: [], agents: ['default'], maxAttempts: 3, replay: () => replay, steady: () => true };
    await sweep(database, this.#queue, { ...terms, onError: noop });
    const [row] = await database.query<{ owner: string | null }>('select owner from @.conversation where key = $1', [
      this.#key,
    ]);
    // The sweep skips the conversation if the server was slow.
    if (row?.owner === null) this.#holder = undefined;
  }

  async #write(kind: 'send' | 'commit' | 'release' | 'retry', back: number, afterMs: number): Promise<void> {
    const { claim, writer } = this.#claims.at(-1 - back) ?? {};
    if (claim === undefined || writer === undefined) return;
    const isHolder = claim.token === this.#holder?.token;
    const context = {
      database: this.#database,
      queue: this.#queue,
      worker: writer.fence.owner,
      credential: 'default',
    };
    const retried = { outcome: final.outcome, sessionId: undefined, cost: undefined, afterMs };
    const write = {
      send: () => markSent(this.#database, claim, writer.fence, null),
      commit: () => writer.commit(this.#queue, final),
      release: () => releaseTurn(claim, context, writer),
      retry: () => retryTurn(claim, context, writer, retried),
    }[kind]();
    if (!isHolder) return expect(write).rejects.toThrow(LeaseLostError);
    await write;
    if (kind !== 'send') this.#holder = undefined;
  }

  /** The tokens of all claims that can write. */
  #writers(): Promise<string[]> {
    return this.#database.transaction(
      async (open) => {
        const tokens: string[] = [];
        for (const { claim, writer } of this.#claims) {
          const passed = await passFence(open, writer.fence).catch((error: unknown) => {
            if (!(error instanceof LeaseLostError)) throw error;
          });
          if (passed !== undefined) tokens.push(claim.token);
        }
        return tokens;
      },
      { durable: false },
    );
  }

  #turns(): Promise<{ id: string; state: TurnState; outcomes: number }[]> {
    return this.#database.query(
      `select id, state, (select count(*) from @.event where event.turn = turn.id and kind = 'outcome') as outcomes
       from @.turn turn where key = $1 order by seq`,
      [this.#key],
    );
  }
}

describe('claims in PostgreSQL', () => {
  it('[F-2, F-3, F-5] whatever workers do, only the last claim of a conversation can write, and each turn ends once', async () => {
    const { database: url, schema } = await testDatabase();
    await using fleet = await openFleet({ database: url, schema, limits: quick });
    const database = new Database({ url, schema, connections: 2, leaseMs });
    const queue = await openQueue(database, 'client', false);
    const keys: string[] = [];
    const run = async (steps: readonly Step[]): Promise<void> => {
      const key = `c${keys.length}`;
      const conversation = new Conversation(fleet, database, queue, key, [...keys]);
      keys.push(key);
      await conversation.submit();
      for (const each of steps) await conversation.take(each);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), run), { numRuns: 12 });
    await queue.close();
    await database.close();
  }, 60_000);
});
