/** Copies the data into the folder of a server that does not exist yet; without it, the server creates its own. */
export declare function copyPostgresData(directory: string): void;
