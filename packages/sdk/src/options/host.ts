/** What the options are judged against. */
export interface HostFacts {
  /** `process.platform`. */
  readonly platform: string;
  /** `process.getuid()`, where there is one. */
  readonly uid: number | undefined;
  /** `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}
