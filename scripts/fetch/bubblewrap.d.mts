/** The path of bubblewrap: downloaded on first use. */
export declare function bubblewrap(): string;
/** A folder for PATH with the programs that the sandbox of the CLI needs: downloaded on first use. */
export declare function sandboxPrograms(): string;
