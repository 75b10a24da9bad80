import { releaseNeeded } from '../cli/feature-gate.ts';
import { flagRefusal } from '../cli/flag-refusal.ts';
import { MINIMUM_VERSION } from '../cli/version.ts';
import type { CoxswainError } from '../errors/base.ts';
import { UnsupportedRequestError } from '../errors/session.ts';
import type { Launch } from '../launch/launch.ts';
import { arrayField, sessionIdOf } from '../messages/fields.ts';
import { hasPrivateSettings } from '../options/settings-check.ts';
import { PrintedText } from '../process/printed-text.ts';
import { within } from '../timing/timers.ts';
import type { Message, ResultMessage } from '../wire/messages.ts';
import { CapabilityRecord } from './capabilities.ts';
import type { SessionPlan } from './plan.ts';

/** The known facts about the CLI of a session: the release, the capabilities and the conversation. */
export class CliFacts {
  readonly capabilities: CapabilityRecord = new CapabilityRecord();
  /** The id of the conversation, if it is known. */
  conversation: string | undefined;
  finishedTurn = false;
  /** The plugins that the last `system/init` lists. */
  plugins: readonly unknown[] = [];
  /** The model has called a tool, which may have run. */
  toolCalled = false;
  readonly printed: PrintedText = new PrintedText();
  /** The errors of the last failed result, including secrets: the reason why the CLI exits. */
  lastWords: string | undefined;
  readonly #plan: SessionPlan;
  #version: string | undefined;
  #path = '';
  /** Determines the version while the CLI already runs. */
  #versionCheck: Launch['versionCheck'];

  constructor(plan: SessionPlan) {
    this.#plan = plan;
    this.conversation = plan.sessionId;
  }

  /** The release, as soon as the CLI or the version check has reported it. */
  get release(): string | undefined {
    return this.capabilities.current.cliVersion ?? this.#version ?? this.#versionCheck?.version;
  }

  /** True until the CLI is known to be new enough. */
  get versionPending(): boolean {
    return this.#versionCheck?.pending === true;
  }

  /** Settles when the CLI is refused, or found new enough. Never rejects. */
  get refusal(): Promise<CoxswainError | undefined> {
    return this.#versionCheck?.refusal ?? Promise.resolve(undefined);
  }

  launched({ version, versionCheck, path }: Pick<Launch, 'version' | 'versionCheck' | 'path'>): void {
    this.#version = version;
    this.#path = path;
    this.#versionCheck = versionCheck;
  }

  /** Reads the answer to `initialize`. False when it lists no capabilities. */
  handshake(body: unknown): boolean {
    const complete = this.capabilities.fromHandshake(body);
    this.#versionCheck?.reported(this.capabilities.current.cliVersion);
    return complete;
  }

  init(message: Message): void {
    this.capabilities.fromInit(message);
    this.plugins = arrayField(message, 'plugins');
    this.conversation = sessionIdOf(message) ?? this.conversation;
    this.#versionCheck?.reported(this.capabilities.current.cliVersion);
  }

  result(message: ResultMessage): void {
    this.finishedTurn = true;
    this.conversation = sessionIdOf(message) ?? this.conversation;
    if ('errors' in message && Array.isArray(message.errors)) {
      this.lastWords = message.errors.filter((error) => typeof error === 'string').join('; ');
    }
  }

  /** A CLI ignores an unknown guard, so if the options rely on one, this waits for the version. @throws the refusal */
  async requireGuards(): Promise<void> {
    const refusal = this.#versionCheck?.decisive ? await this.#versionCheck.refusal : undefined;
    if (refusal) throw refusal;
  }

  /** True when the release is known to have a feature. */
  has(feature: string): boolean {
    return this.release !== undefined && releaseNeeded(this.#needed(feature), this.release) === undefined;
  }

  /** True when the version, which is still unknown, decides whether the CLI supports a feature. */
  versionDecides(feature: string): boolean {
    return this.versionPending && releaseNeeded(feature, MINIMUM_VERSION) !== undefined;
  }

  /** Waits for the version check, for a bounded time. */
  async versionKnown(): Promise<void> {
    if (this.versionPending) await within(this.#plan.run.limits.versionTimeoutMs, this.refusal);
  }

  /** @throws UnsupportedRequestError when the release is known to lack the feature */
  refuseIfTooOld(kind: string, feature: string = kind): void {
    if (this.#plan.run.options.versionCheck === 'off') return;
    const found = this.release;
    const required = releaseNeeded(this.#needed(feature), found);
    if (found !== undefined && required !== undefined) throw new UnsupportedRequestError({ kind, found, required });
  }

  /** Older releases read the settings file again for these requests. It is removed by then, so the CLI drops what was in it. */
  #needed(feature: string): string {
    return hasPrivateSettings(this.#plan.given) && REREADING.has(feature) ? `${feature}:private` : feature;
  }

  /** The error for a CLI that exited because it is too old for its flags; otherwise `failure` itself. */
  explained(failure: CoxswainError, stderr: string): CoxswainError {
    const { release } = this;
    return flagRefusal(failure, stderr, { path: this.#path, release }) ?? failure;
  }

  close(): void {
    this.#versionCheck?.cancel();
  }
}

/** The requests for which older releases read their settings file again. */
const REREADING: ReadonlySet<string> = new Set(['get_settings', 'apply_flag_settings']);
