import type { AppendBatch, SessionKey, SessionStore, StoreEntry } from 'coxswain/store';
import type { FleetAgentOptions } from '../agent/define-agent.ts';
import { type CallbackName, callbacksOf } from './same-options.ts';

/** What a session needs from the run of its current turn. */
export interface LinkedRun {
  readonly store: SessionStore;
  /** The options of the turn; `canUseTool` is the fleet's. */
  readonly options: FleetAgentOptions;
  /** Receives errors of the agent's functions outside of any call. */
  readonly fault: (error: unknown) => void;
}

/** How much a process may write between two turns: titles and other notes. */
const MAX_NOTES = 200;

interface Note {
  readonly key: SessionKey;
  readonly entries: readonly StoreEntry[];
  readonly batch: AppendBatch | undefined;
}

/**
 * Connects a session with the run of its current turn, and with none between two turns: what the session stores and asks then belongs to no
 * turn. Notes are kept for the next turn; a process that does more is `stray`, and must not run another turn.
 */
export class SessionLink {
  readonly store: SessionStore;
  /** Called once, when the process works without a turn. */
  onStray: () => void = () => {};
  #run: LinkedRun | undefined;
  #notes: Note[] = [];
  #noted = 0;
  #stray = false;
  #ended = false;

  constructor(run: LinkedRun | undefined) {
    this.#run = run;
    this.store = {
      append: (key, entries, batch) => this.#append({ key, entries, batch }),
      load: async (key) => (await this.#run?.store.load(key)) ?? null,
      listSubkeys: async (key) => (await this.#run?.store.listSubkeys?.(key)) ?? [],
      blobs: {
        put: async (key, name, data) => {
          if (this.#run) await this.#run.store.blobs?.put(key, name, data);
          // An error makes the session store the file with its next turn.
          else if (!this.#ended) throw new Error('No turn runs.');
        },
        get: async (key, name) => (await this.#run?.store.blobs?.get(key, name)) ?? null,
        list: async (key) => (await this.#run?.store.blobs?.list(key)) ?? [],
      },
    };
  }

  /** True if the process has worked without a turn. */
  get stray(): boolean {
    return this.#stray;
  }

  /** Options for a process that is started now, with callbacks that call those of the current turn. */
  options(given: FleetAgentOptions): FleetAgentOptions {
    const callbacks = Object.fromEntries(callbacksOf(given).map((name) => [name, this.#callback(name)]));
    // The values of `callbacks` have the types of the options whose names they have.
    const linked: FleetAgentOptions = { ...given, ...callbacks };
    if (given.hooks === undefined) return linked;
    return { ...linked, hooks: this.#linkedHooks(given.hooks, []) as FleetAgentOptions['hooks'] };
  }

  /** The session runs a turn from now on; notes that it wrote before become part of it. */
  async attach(run: LinkedRun): Promise<void> {
    const notes = this.#notes;
    this.#notes = [];
    this.#noted = 0;
    this.#run = run;
    for (const { key, entries, batch } of notes) await run.store.append(key, entries, batch);
  }

  /** The turn is about to be committed: what the session does now does not belong to it. */
  detach(): void {
    this.#run = undefined;
  }

  /** The process is about to end without another turn; what it still writes is not stored. */
  end(): void {
    this.#run = undefined;
    this.#ended = true;
    this.#notes = [];
  }

  fault(error: unknown): void {
    this.#run?.fault(error);
  }

  async #append(note: Note): Promise<void> {
    if (this.#run) return this.#run.store.append(note.key, note.entries, note.batch);
    if (this.#ended) return;
    this.#notes.push(note);
    this.#noted += note.entries.length;
    if (this.#noted > MAX_NOTES || note.entries.some(({ type }) => type === 'user' || type === 'assistant'))
      this.#strayed();
  }

  #strayed(): void {
    if (this.#stray || this.#ended) return;
    this.#stray = true;
    this.onStray();
  }

  #callback(name: CallbackName): (...args: unknown[]) => unknown {
    return (...args) => this.#call(NOTICES.has(name), this.#run?.options[name], args);
  }

  /** The same structure with functions that call those at the same place in the hooks of the current turn. */
  #linkedHooks(given: unknown, path: readonly string[]): unknown {
    if (typeof given === 'function')
      return (...args: unknown[]) => this.#call(false, at(this.#run?.options.hooks, path), args);
    if (Array.isArray(given)) return given.map((one, index) => this.#linkedHooks(one, [...path, String(index)]));
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([k, one]) => [k, this.#linkedHooks(one, [...path, k])]));
  }

  #call(isNotice: boolean, callback: unknown, args: readonly unknown[]): unknown {
    if (typeof callback === 'function') return Reflect.apply(callback, undefined, args);
    if (isNotice) return undefined;
    this.#strayed();
    // The process ends without an answer, so nothing is allowed. The session limits the wait.
    return new Promise(() => {});
  }
}

/** Callbacks whose results do not matter. */
const NOTICES: ReadonlySet<CallbackName> = new Set(['onEvent', 'onWarning', 'onStderr']);

function at(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  return typeof value === 'object' && value !== null ? at(Reflect.get(value, first), rest) : undefined;
}
