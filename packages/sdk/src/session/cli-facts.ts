import { releaseNeeded } from '../cli/feature-gate.ts';
import { minimumFor } from '../cli/version.ts';
import type { CoxswainError } from '../errors/base.ts';
import { UnsupportedRequestError } from '../errors/session.ts';
import type { Launch } from '../launch/launch.ts';
import { sessionIdOf } from '../messages/fields.ts';
import { within } from '../timing/timers.ts';
import type { Message, ResultMessage } from '../wire/messages.ts';
import { CapabilityRecord } from './capabilities.ts';
import type { SessionPlan } from './session-plan.ts';

/** What a session knows about its CLI: the release, the capabilities and the conversation. */
export class CliFacts {
  readonly capabilities: CapabilityRecord = new CapabilityRecord();
  /** The id of the conversation, if it is known. */
  conversation: string | undefined;
  finishedTurn = false;
  /** The errors of the last failed result, secrets included: why the CLI exits. */
  lastWords: string | undefined;
  readonly #plan: SessionPlan;
  #version: string | undefined;
  /** Finds out the version while the CLI already runs. */
  #versionCheck: Launch['versionCheck'];

  constructor(plan: SessionPlan) {
    this.#plan = plan;
    this.conversation = plan.sessionId;
  }

  /** The release, as soon as the CLI or the version check has reported it. */
  get release(): string | undefined {
    return this.capabilities.current.cliVersion ?? this.#version ?? this.#versionCheck?.version;
  }

  /** Settles when the version check is done. Never rejects. */
  get refusal(): Promise<CoxswainError | undefined> {
    return this.#versionCheck?.refusal ?? Promise.resolve(undefined);
  }

  launched({ version, versionCheck }: Pick<Launch, 'version' | 'versionCheck'>): void {
    this.#version = version;
    this.#versionCheck = versionCheck;
  }

  /** Reads the answer to `initialize`. False when it lists no capabilities. */
  handshake(body: unknown): boolean {
    const complete = this.capabilities.fromHandshake(body);
    this.#versionCheck?.told(this.capabilities.current.cliVersion);
    return complete;
  }

  init(message: Message): void {
    this.capabilities.fromInit(message);
    this.conversation = sessionIdOf(message) ?? this.conversation;
    this.#versionCheck?.told(this.capabilities.current.cliVersion);
  }

  result(message: ResultMessage): void {
    this.finishedTurn = true;
    this.conversation = sessionIdOf(message) ?? this.conversation;
    if ('errors' in message && Array.isArray(message.errors)) {
      this.lastWords = message.errors.filter((error) => typeof error === 'string').join('; ');
    }
  }

  /** An old CLI ignores a guard it does not know: when the options rely on one, this waits for the version. @throws the refusal */
  async requireGuards(): Promise<void> {
    const refusal = this.#versionCheck?.decisive ? await this.#versionCheck.refusal : undefined;
    if (refusal) throw refusal;
  }

  /** True when the version, which is still unknown, decides whether the CLI supports a feature. */
  versionDecides(feature: string): boolean {
    const unknown = this.#versionCheck !== undefined && this.release === undefined;
    return unknown && releaseNeeded(feature, minimumFor('session')) !== undefined;
  }

  /** Waits for the version check, for a bounded time. */
  async versionKnown(): Promise<void> {
    if (this.#versionCheck) await within(this.#plan.run.limits.versionTimeoutMs, this.#versionCheck.refusal);
  }

  /** Older releases do not answer requests they do not know. @throws UnsupportedRequestError when the release lacks the feature */
  refuseIfTooOld(kind: string, feature: string = kind): void {
    if (this.#plan.run.options.skipVersionCheck) return;
    const found = this.release;
    const required = releaseNeeded(feature, found);
    if (found !== undefined && required !== undefined) throw new UnsupportedRequestError({ kind, found, required });
  }

  close(): void {
    this.#versionCheck?.cancel();
  }
}
