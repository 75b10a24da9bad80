/** Cost and tokens. */
export interface CostInfo {
  readonly usd: number;
  /** The part of `usd` that was computed from list prices, because the source has no prices: transcripts on disk. */
  readonly estimated: number;
  readonly tokens: Tokens;
  /** False if the real cost may be higher. */
  readonly complete: boolean;
}

/** Tokens by price class. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
}
