/** Cost and tokens. */
export interface CostInfo {
  readonly usd: number;
  readonly tokens: Tokens;
  /** False if the real cost may be higher. */
  readonly complete: boolean;
}

/** Tokens by how they are priced. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
}
