/** A part of the package that is loaded when somebody first needs it. */
export class Part<M> {
  /** It, once a call has loaded it: from then on everything happens at once. */
  loaded: M | undefined;
  readonly #import: () => Promise<M>;
  #loading: Promise<M> | undefined;

  constructor(load: () => Promise<M>) {
    this.#import = load;
  }

  load(): Promise<M> {
    this.#loading ??= this.#import().then((module) => {
      this.loaded = module;
      return module;
    });
    return this.#loading;
  }
}

/** What runs queries and sessions: most of the package, and nothing that a program which only imports it needs. */
export const engine: Part<typeof import('./engine.ts')> = new Part(() => import('./engine.ts'));

/** What keeps sessions going, which most programs do not ask for. */
export const supervision: Part<typeof import('../supervise/open.ts')> = new Part(() => import('../supervise/open.ts'));

/** What shares sessions between conversations. */
export const pools: Part<typeof import('../pool/running-pool.ts')> = new Part(() => import('../pool/running-pool.ts'));
