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

/** What became of a turn's settings. */
export interface AppliedSettings {
  /** Gives back what was changed. */
  readonly giveBack?: () => Promise<void>;
  /** Why not all of them could be applied. */
  readonly failure?: unknown;
}

const NOTHING_APPLIED: AppliedSettings = {};

/** Keeps what a session is set to, so that a turn can have its own settings and give them back. */
export class SettingsKeeper {
  readonly #port: SettingsPort;
  #known: TurnSettings;
  /** What a turn has changed and the caller has not chosen since. */
  #changed = new Set<Name>();
  /** The CLI's own name for the model that is known: `haiku` becomes a release. */
  #fullModelName: string | undefined;

  constructor(port: SettingsPort, known: TurnSettings) {
    this.#port = port;
    this.#known = known;
  }

  get known(): TurnSettings {
    return this.#known;
  }

  /** The CLI said, or was told, what it uses now. */
  note(settings: TurnSettings): void {
    this.#known = { ...this.#known, ...settings };
    if (settings.model !== undefined) this.#fullModelName = undefined;
  }

  /** The caller said what to use from now on: no turn gives that back any more. */
  choose(settings: TurnSettings): void {
    this.note(settings);
    for (const name of NAMES) if (name in settings) this.#changed.delete(name);
  }

  /** The CLI named the model it uses. The first time after a change that is only another name for what was set. */
  noteModelName(name: string): void {
    const changed = this.#fullModelName !== undefined && this.#fullModelName !== name;
    if (changed || this.#known.model === undefined) this.#known = { ...this.#known, model: name };
    this.#fullModelName = name;
  }

  /**
   * Applies what differs. It is given back each earlier value by name, and only where the turn's value is still in force:
   * `null` would move the model to the account's default, not back.
   */
  async apply(wanted: TurnSettings): Promise<AppliedSettings> {
    const changed = new Set<Name>();
    this.#changed = changed;
    const before: Record<string, unknown> = {};
    const giveBack = async (): Promise<void> => {
      const stillOurs = [...changed].filter((name) => this.#known[name] === wanted[name]);
      // Each by itself: a model that is refused must not leave the permission mode behind.
      const given = await Promise.allSettled(stillOurs.map((name) => this.#set(name, before[name])));
      for (const step of given) if (step.status === 'rejected') throw step.reason;
    };
    try {
      for (const name of NAMES) {
        const value = wanted[name];
        if (value === undefined || value === this.#known[name]) continue;
        before[name] = await this.#earlier(name);
        await this.#set(name, value).catch((error: unknown) => {
          // What is not answered may be in force all the same.
          if (!(error instanceof ControlTimeoutError)) throw error;
          this.note({ [name]: value });
          changed.add(name);
          throw error;
        });
        changed.add(name);
      }
    } catch (error) {
      return { giveBack, failure: error };
    }
    return changed.size > 0 ? { giveBack } : NOTHING_APPLIED;
  }

  async #earlier(name: Name): Promise<unknown> {
    const known = this.#known[name];
    if (known !== undefined) return known;
    if (name === 'model') return this.#port.currentModel();
    return name === 'permissionMode' ? 'default' : null;
  }

  async #set(name: Name, value: unknown): Promise<void> {
    if (value === undefined) return;
    // The name and its value come from the same entry of the same settings.
    await this.#port.set(name, value as NonNullable<TurnSettings[Name]> | null);
    this.note({ [name]: value });
  }
}
