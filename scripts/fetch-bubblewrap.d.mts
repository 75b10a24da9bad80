/** The path of bubblewrap: downloaded on first use. */
export declare function bubblewrap(): string;
