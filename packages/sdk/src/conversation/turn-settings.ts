import { fieldsOf } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import { ControlRequestError, ControlTimeoutError } from '../errors/session.ts';
import { stringField } from '../messages/fields.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import type { RequestQueue } from './request-queue.ts';

/** The settings of a session that a turn may override. */
export interface TurnSettings {
  readonly model?: string | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly maxThinkingTokens?: number | null | undefined;
}

type Name = keyof TurnSettings;

/** The request that sets each, and its field. */
export const REQUESTS = {
  model: ['set_model', 'model'],
  permissionMode: ['set_permission_mode', 'mode'],
  maxThinkingTokens: ['set_max_thinking_tokens', 'max_thinking_tokens'],
} as const;

/** A value that a turn uses instead of the session's. */
interface Override {
  readonly value: unknown;
  before: unknown;
}

/** The defaults of the CLI; its model must be requested. */
const UNSET: Readonly<Record<Name, unknown>> = { model: undefined, permissionMode: 'default', maxThinkingTokens: null };

/** Keeps the settings of a session, so that a turn can override them and restore them afterwards. */
export class SettingsKeeper {
  /** The known current settings of the CLI. */
  known: TurnSettings;
  /** Something was set after the last prompt was written. */
  setSincePrompt = false;
  readonly #requests: Pick<RequestQueue, 'request'>;
  /** Settings that turns have overridden and not restored, except those that the caller has set since. */
  readonly #overridden = new Map<Name, Override>();
  /** The last value of each that was written and that the CLI has not confirmed yet. */
  readonly #written = new Map<Name, { readonly value: unknown }>();
  /** Set by the caller without an answer of the CLI: the new value may be in force, or not. */
  readonly #uncertain = new Set<Name>();
  /** Restoring was tried: it is in progress, or has failed. */
  #tried = false;
  /** The CLI's full name for the known model: `haiku` becomes a release. */
  #fullModelName: string | undefined;

  #changesModel = false;
  #modelWasOverridden = false;

  constructor(requests: Pick<RequestQueue, 'request'>, known: TurnSettings) {
    this.#requests = requests;
    this.known = known;
  }

  /** A prompt is written. `/model` changes the model without a control request. */
  promptWritten(content: unknown): void {
    this.setSincePrompt = false;
    this.#changesModel = typeof content === 'string' && /^\s*\/model\b/.test(content);
    if (this.#changesModel) {
      this.known = { ...this.known, model: undefined };
      this.#fullModelName = undefined;
    }
  }

  /** The settings of the session, without the overrides of a turn. */
  get own(): TurnSettings {
    const overridden = Array.from(this.#overridden).filter(([name, { value }]) => this.known[name] === value);
    return { ...this.known, ...Object.fromEntries(overridden.map(([name, { before }]) => [name, before])) };
  }

  /** The CLI reported, or confirmed, what it uses now. */
  note(settings: TurnSettings): void {
    this.known = { ...this.known, ...settings };
    for (const name of Object.keys(settings)) this.#uncertain.delete(name as Name); // TurnSettings has no other keys.
    if (settings.model !== undefined) this.#fullModelName = undefined;
  }

  /** The caller sets a value: no turn restores an earlier one afterwards. @throws the CLI's refusal */
  async choose<N extends Name>(
    name: N,
    value: NonNullable<TurnSettings[N]> | null,
    options?: RequestOptions,
  ): Promise<void> {
    const override = this.#overridden.get(name);
    this.#overridden.delete(name);
    try {
      await this.#set(name, value, options);
    } catch (error) {
      if (override && !this.#overridden.has(name)) this.#overridden.set(name, override);
      if (!(error instanceof ControlRequestError)) this.#uncertain.add(name);
      throw error;
    }
  }

  /** The CLI named its model. The first name after a change is only the full name of what was set. */
  noteModelName(name: string): void {
    if (this.#changesModel) return;
    const changed = this.#fullModelName !== undefined && this.#fullModelName !== name;
    if (changed || this.known.model === undefined) this.known = { ...this.known, model: name };
    this.#fullModelName = name;
  }

  /** The session's model, if a turn used another: a CLI that resumes the conversation would continue with that one. */
  get modelToKeep(): string | undefined {
    return this.#modelWasOverridden ? this.own.model : undefined;
  }

  /** True when an override has to be restored and that has not been tried yet. */
  get overridden(): boolean {
    return this.#overridden.size > 0 && !this.#tried;
  }

  /** Applies the settings of a turn after restoring those of the previous one: no turn runs with the permissions of another. */
  async apply(wanted: TurnSettings): Promise<void> {
    if (this.#overridden.size > 0) await this.restore();
    for (const name of ['model', 'permissionMode', 'maxThinkingTokens'] as const) {
      const value = wanted[name];
      const inForce = !this.#uncertain.has(name) && value === this.#inForce(name);
      if (value !== undefined && !inForce) await this.#override(name, value);
    }
  }

  /**
   * Restores each earlier value by name, if the turn's value is still in force: `null` would set the model to the account's
   * default. What the CLI refuses is tried again before the next turn. @throws the CLI's refusal
   */
  async restore(): Promise<void> {
    this.#tried = true;
    // Independently: a model that is refused must not keep the permission mode from being restored.
    const given = await Promise.allSettled(Array.from(this.#overridden, (entry) => this.#restoreOne(...entry)));
    for (const step of given) if (step.status === 'rejected') throw step.reason;
    this.#tried = false;
  }

  async #override(name: Name, value: unknown): Promise<void> {
    const override: Override = { value, before: this.#inForce(name) ?? UNSET[name] };
    // Before the first await: a setting of the caller removes it again, and the CLI may report the new mode before it
    // confirms it.
    this.#overridden.set(name, override);
    this.#tried = false;
    if (name === 'model') this.#modelWasOverridden = true;
    if (name === 'model' && override.before === undefined) await this.#askModel(override);
    if (this.#overridden.get(name) !== override) return;
    const failure = await this.#set(name, value).catch((error: unknown) => error);
    if (failure === undefined) return;
    // A value that was not answered may be in force; one that was refused is not, and need not be restored.
    if (failure instanceof ControlTimeoutError) this.note({ [name]: value });
    throw failure;
  }

  async #restoreOne(name: Name, override: Override): Promise<void> {
    if (this.#inForce(name) === override.value) await this.#set(name, override.before);
    // Meanwhile the caller may have set a value, and another turn may have overridden that.
    if (this.#overridden.get(name) === override) this.#overridden.delete(name);
  }

  async #askModel(override: Override): Promise<void> {
    try {
      const { applied } = fieldsOf(await this.#requests.request('get_settings'));
      override.before = stringField(applied, 'model');
    } catch (error) {
      if (this.#overridden.get('model') === override) this.#overridden.delete('model');
      throw error;
    }
  }

  async #set(name: Name, value: unknown, options?: RequestOptions): Promise<void> {
    if (value === undefined) return;
    this.setSincePrompt = true;
    const write = { value };
    this.#written.set(name, write);
    // Several may be unanswered, and their answers arrive together: the value that was written last is in force.
    const isLast = (): boolean => this.#written.get(name) === write;
    try {
      const [subtype, field] = REQUESTS[name];
      await this.#requests.request(subtype, { [field]: value }, options);
      if (isLast()) this.note({ [name]: value });
    } finally {
      if (isLast()) this.#written.delete(name);
    }
  }

  /** The settings of the CLI once it has processed all written requests. */
  #inForce(name: Name): unknown {
    const written = this.#written.get(name);
    return written ? written.value : this.known[name];
  }
}
