type Engine = typeof import('./engine.ts');

let loaded: Engine | undefined;
let loading: Promise<Engine> | undefined;

/** The engine, if a call has loaded it: from then on everything happens at once. */
export function loadedEngine(): Engine | undefined {
  return loaded;
}

/** Loads what runs queries and sessions: most of the package, and nothing that a program which only imports it needs. */
export function loadEngine(): Promise<Engine> {
  loading ??= import('./engine.ts').then((engine) => {
    loaded = engine;
    return engine;
  });
  return loading;
}
