/** The folder with PostgreSQL's `bin`, `lib` and `share`. */
export declare const POSTGRES_BINARIES: string;

/** Installs the binaries on first use. */
export declare function ensurePostgres(): void;
