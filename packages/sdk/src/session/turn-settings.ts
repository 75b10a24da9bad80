import { ControlTimeoutError } from '../errors/control.ts';
import type { PermissionMode } from '../options/groups.ts';

/** What a session is set to, and a turn may change for itself. */
export interface TurnSettings {
  readonly model?: string | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly maxThinkingTokens?: number | null | undefined;
}

type Name = keyof TurnSettings;

const NAMES = ['model', 'permissionMode', 'maxThinkingTokens'] as const;

/** How the CLI is told and asked. */
export interface SettingsPort {
  /** Makes the CLI use a value. */
  set<N extends Name>(name: N, value: NonNullable<TurnSettings[N]> | null): Promise<void>;
  /** Asks which model is in use, where nobody has said it yet. */
  currentModel(): Promise<string | undefined>;
}

/** A value that a turn has instead of the session's own. */
interface Lent {
  readonly value: unknown;
  before: unknown;
}

/** What the CLI uses when nothing was ever set; its model has to be asked for. */
const UNSET: Readonly<Record<Name, unknown>> = { model: undefined, permissionMode: 'default', maxThinkingTokens: null };

/** Keeps what a session is set to, so that a turn can have its own settings and give them back. */
export class SettingsKeeper {
  readonly #port: SettingsPort;
  #known: TurnSettings;
  /** What turns have changed for themselves and not given back; what the caller has chosen since is not among it. */
  readonly #lent = new Map<Name, Lent>();
  /** The last value that was written of each and that the CLI has not answered yet. */
  readonly #written = new Map<Name, { readonly value: unknown }>();
  /** Giving it back is being tried, or has failed. */
  #tried = false;
  /** The CLI's own name for the model that is known: `haiku` becomes a release. */
  #fullModelName: string | undefined;

  #setSincePrompt = false;
  #changesModel = false;
  #modelWasLent = false;

  constructor(port: SettingsPort, known: TurnSettings) {
    this.#port = port;
    this.#known = known;
  }

  /** Something was set after the last prompt was written. */
  get setSincePrompt(): boolean {
    return this.#setSincePrompt;
  }

  /** A prompt is written. `/model` changes the model behind the session's back, when it runs. */
  promptWritten(content: unknown): void {
    this.#setSincePrompt = false;
    this.#changesModel = typeof content === 'string' && /^\s*\/model\b/.test(content);
    if (this.#changesModel) this.#forgetModel();
  }

  get known(): TurnSettings {
    return this.#known;
  }

  /** What the session itself is set to: what is known, without what a turn has changed for itself. */
  get own(): TurnSettings {
    const lent = Array.from(this.#lent).filter(([name, { value }]) => this.#known[name] === value);
    return { ...this.#known, ...Object.fromEntries(lent.map(([name, { before }]) => [name, before])) };
  }

  /** The CLI said, or was told, what it uses now. */
  note(settings: TurnSettings): void {
    this.#known = { ...this.#known, ...settings };
    if (settings.model !== undefined) this.#fullModelName = undefined;
  }

  /** The caller says what to use from now on: no turn gives that back any more. @throws what the CLI says */
  async choose<N extends Name>(name: N, value: NonNullable<TurnSettings[N]> | null): Promise<void> {
    const loan = this.#lent.get(name);
    this.#lent.delete(name);
    try {
      await this.#set(name, value);
    } catch (error) {
      if (loan && !this.#lent.has(name)) this.#lent.set(name, loan);
      throw error;
    }
  }

  /** The CLI named the model it uses. The first time after a change that is only another name for what was set. */
  noteModelName(name: string): void {
    if (this.#changesModel) return;
    const changed = this.#fullModelName !== undefined && this.#fullModelName !== name;
    if (changed || this.#known.model === undefined) this.#known = { ...this.#known, model: name };
    this.#fullModelName = name;
  }

  /** The session's own model, if a turn had another: a CLI that takes the conversation up would go on with that one. */
  get modelToKeep(): string | undefined {
    return this.#modelWasLent ? this.own.model : undefined;
  }

  #forgetModel(): void {
    this.#known = { ...this.#known, model: undefined };
    this.#fullModelName = undefined;
  }

  /** Whether something is to be given back that has not been tried yet. */
  get lent(): boolean {
    return this.#lent.size > 0 && !this.#tried;
  }

  /** Gives a turn its own settings. What the one before it owes comes first: nobody runs with the permissions of another. */
  async apply(wanted: TurnSettings): Promise<void> {
    if (this.#lent.size > 0) await this.giveBack();
    for (const name of NAMES) {
      const value = wanted[name];
      if (value !== undefined && value !== this.#inForce(name)) await this.#lend(name, value);
    }
  }

  /**
   * Makes the CLI use each earlier value again, by name, and only where the turn's is still in force: `null` would move the
   * model to the account's default, not back. What it does not take back stays owed. @throws what the CLI says
   */
  async giveBack(): Promise<void> {
    this.#tried = true;
    // Each by itself: a model that is refused must not leave the permission mode behind.
    const given = await Promise.allSettled(Array.from(this.#lent, (entry) => this.#take(...entry)));
    for (const step of given) if (step.status === 'rejected') throw step.reason;
    this.#tried = false;
  }

  async #lend(name: Name, value: unknown): Promise<void> {
    const loan: Lent = { value, before: this.#inForce(name) ?? UNSET[name] };
    // Before anything is waited for: what the caller chooses meanwhile takes it out again, and the CLI may tell of the new
    // mode before it agrees to it.
    this.#lent.set(name, loan);
    this.#tried = false;
    if (name === 'model') this.#modelWasLent = true;
    if (name === 'model' && loan.before === undefined) await this.#askModel(loan);
    if (this.#lent.get(name) !== loan) return;
    const failure = await this.#set(name, value).catch((error: unknown) => error);
    if (failure === undefined) return;
    // What is not answered may be in force all the same; what was refused is not, and there is nothing to give back.
    if (failure instanceof ControlTimeoutError) this.note({ [name]: value });
    throw failure;
  }

  async #take(name: Name, loan: Lent): Promise<void> {
    if (this.#inForce(name) === loan.value) await this.#set(name, loan.before);
    // Meanwhile the caller may have chosen, and another turn may have changed that for itself.
    if (this.#lent.get(name) === loan) this.#lent.delete(name);
  }

  async #askModel(loan: Lent): Promise<void> {
    try {
      loan.before = await this.#port.currentModel();
    } catch (error) {
      if (this.#lent.get('model') === loan) this.#lent.delete('model');
      throw error;
    }
  }

  async #set(name: Name, value: unknown): Promise<void> {
    if (value === undefined) return;
    this.#setSincePrompt = true;
    const write = { value };
    this.#written.set(name, write);
    // Several may be unanswered, and their answers come at once: what was written last is in force.
    const isLast = (): boolean => this.#written.get(name) === write;
    try {
      // The name and its value come from the same entry of the same settings.
      await this.#port.set(name, value as NonNullable<TurnSettings[Name]> | null);
      if (isLast()) this.note({ [name]: value });
    } finally {
      if (isLast()) this.#written.delete(name);
    }
  }

  /** What the CLI uses once it has done what it was told. */
  #inForce(name: Name): unknown {
    const written = this.#written.get(name);
    return written ? written.value : this.#known[name];
  }
}
