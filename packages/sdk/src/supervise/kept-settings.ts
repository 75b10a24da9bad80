import { plainError } from '../report/redacted.ts';
import type { SessionHandle } from '../session/handle.ts';
import type { SettingsKeeper, TurnSettings } from '../session/turn-settings.ts';
import { type Warning, warning } from '../warnings/warning.ts';

type Restore = (session: SessionHandle<unknown>) => Promise<unknown>;

/** What a session was set to while it ran: the next CLI is given the same. */
export class KeptSettings {
  #settings: TurnSettings = {};
  readonly #restores = new Map<string, Restore>();

  /** What the next CLI starts with. */
  get settings(): TurnSettings {
    return this.#settings;
  }

  /** The caller has set something. */
  note(settings: TurnSettings): void {
    this.#settings = { ...this.#settings, ...settings };
  }

  /**
   * The caller has done something that the next CLI must be asked again. What is done anew comes last, or in its old place:
   * servers must be set before one of them is switched off, and that holds for those that are set anew.
   */
  repeat(what: string, restore: Restore, place: 'last' | 'same' = 'last'): void {
    if (place === 'last') this.#restores.delete(what);
    this.#restores.set(what, restore);
  }

  /**
   * A CLI is gone that was set to this, apart from what a turn had of its own. Its mode may have been changed by an answer
   * to a permission, or by the model leaving plan mode. The next CLI would go on with the model of the last turn.
   */
  lifeEnds({ own: { permissionMode }, modelToKeep }: Pick<SettingsKeeper, 'own' | 'modelToKeep'>): void {
    if (permissionMode !== undefined) this.#settings = { ...this.#settings, permissionMode };
    if (modelToKeep !== undefined) this.#settings = { model: modelToKeep, ...this.#settings };
  }

  /** Asks a new CLI for what it cannot be started with. Never rejects. */
  async restore(session: SessionHandle<unknown>, warn: (warning: Warning) => void): Promise<void> {
    for (const [what, restore] of this.#restores) {
      try {
        await restore(session);
      } catch (error) {
        const shown = error instanceof Error ? error : new Error(String(error));
        const message = `The CLI was started again, but did not take ${what}: ${shown.message}`;
        warn(warning('setting-not-restored', message, { what, error: plainError(shown) }));
      }
    }
  }
}
