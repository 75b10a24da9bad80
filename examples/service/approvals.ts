import { join } from 'node:path';
import type { PermissionDecision, PermissionRequest, ResumedRequest, Session } from 'coxswain';
import { checkAnswer, decideLater, requestHash } from 'coxswain';
import { ApprovalFiles } from '../approval-files.ts';

/** A call that a person must decide about. The hash covers the tool, its input and the id of the call. */
export interface Waiting {
  readonly customer: string;
  readonly hash: string;
  readonly tool: string;
  readonly input: unknown;
}

// #region ask
/** The calls that wait for a person. Each is in a file as soon as it can be resumed, so that a restart loses none. */
export class Approvals {
  readonly #live = new Map<string, { waiting: Waiting; session: Session; request: PermissionRequest }>();
  readonly #files: ReadonlyMap<string, ApprovalFiles>;
  readonly #announce: (waiting: Waiting) => void;
  readonly #keeping = new Set<Promise<unknown>>();

  constructor(folder: string, customers: readonly string[], announce: (waiting: Waiting) => void) {
    this.#files = new Map(customers.map((customer) => [customer, new ApprovalFiles(join(folder, customer))]));
    this.#announce = announce;
  }

  async ask(
    customer: string,
    session: Session,
    request: PermissionRequest,
    signal: AbortSignal,
  ): Promise<PermissionDecision> {
    const files = this.#filesOf(customer);
    const hash = requestHash(request);
    const known = await files.find(hash);
    if (known?.answer) return known.answer; // the CLI died before it had the answer, and another one asks again
    const waiting = { customer, hash, tool: request.toolName, input: request.input };
    this.#live.set(hash, { waiting, session, request });
    signal.addEventListener('abort', () => void this.#withdrawn(hash, request.id), { once: true });
    this.#keep(session, request.id, files);
    this.#announce(waiting);
    return decideLater();
  }

  /** What cannot be resumed, such as a call of a subagent, waits only as long as this process runs. */
  #keep(session: Session, id: string, files: ApprovalFiles): void {
    const kept = session.parkable(id).then(
      (parked) => files.add(parked),
      () => {},
    );
    const noted = kept.catch(console.error).finally(() => this.#keeping.delete(noted));
    this.#keeping.add(noted);
  }

  /** Resolves when everything that waits is in a file, or cannot be. */
  async kept(): Promise<void> {
    await Promise.all(this.#keeping);
  }
  // #endregion

  // #region answer
  /** Answers a call by the hash of what the person has read; the first answer counts. @throws OptionsError */
  async answer(hash: string, given: unknown): Promise<'unknown' | 'answered' | 'accepted' | ParkedAt> {
    const live = this.#live.get(hash);
    const { customer, parked } = (await this.#find(hash)) ?? {};
    const request = live?.request ?? parked?.request;
    if (!request) return 'unknown';
    const answer = checkAnswer(given, request);
    if (customer && parked && !(await this.#filesOf(customer).answer(parked, answer))) return 'answered';
    if (!live) return customer && parked ? { customer, parked: { ...parked, answer } } : 'unknown';
    this.#live.delete(hash);
    await live.session.answerPermission(live.request.id, answer);
    if (customer && parked) await this.#filesOf(customer).remove(parked);
    return 'accepted';
  }
  // #endregion

  async all(): Promise<Waiting[]> {
    const found = new Map([...this.#live].map(([hash, { waiting }]) => [hash, waiting]));
    for (const { customer, parked } of await this.parked()) {
      const { hash, request, answer } = parked;
      if (!answer && !found.has(hash))
        found.set(hash, { customer, hash, tool: request.toolName, input: request.input });
    }
    return [...found.values()];
  }

  // #region parked
  /** What was in a file when the last process ended, with the answer if there is one. */
  async parked(): Promise<ParkedAt[]> {
    const all = [...this.#files].map(async ([customer, files]) =>
      (await files.all()).map((parked) => ({ customer, parked })),
    );
    return (await Promise.all(all)).flat();
  }

  async parkedIn(customer: string, sessionId: string): Promise<ResumedRequest | undefined> {
    return (await this.#filesOf(customer).all()).find((parked) => parked.sessionId === sessionId);
  }

  async remove(customer: string, parked: ResumedRequest): Promise<void> {
    await this.#filesOf(customer).remove(parked);
  }
  // #endregion

  /** The turn was interrupted or took too long. If the CLI has died, or the service closes, the request stays. */
  async #withdrawn(hash: string, id: string): Promise<void> {
    const live = this.#live.get(hash);
    if (live?.request.id !== id) return;
    this.#live.delete(hash);
    const { customer } = live.waiting;
    const parked = live.session.state === 'running' ? await this.#filesOf(customer).find(hash) : undefined;
    if (parked && !this.#live.has(hash)) await this.#filesOf(customer).remove(parked);
  }

  async #find(hash: string): Promise<ParkedAt | undefined> {
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    return (await this.parked()).find(({ parked }) => parked.hash === hash);
  }

  #filesOf(customer: string): ApprovalFiles {
    const files = this.#files.get(customer);
    if (!files) throw new Error(`There is no customer ${customer}.`);
    return files;
  }
}

interface ParkedAt {
  readonly customer: string;
  readonly parked: ResumedRequest;
}
