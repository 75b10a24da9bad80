export type ClientSet = 'node-20' | 'node-22';

/** The folders of a set: one with the official SDK, one with the drop-in in its place. */
export interface ClientPlaces {
  readonly official: string;
  readonly dropIn: string;
}

/** Installs a set and copies the built packages, the drivers and the programs into its folders. */
export declare function stageClients(set: ClientSet): ClientPlaces;

/**
 * The folders of a staged set.
 * @throws Error if the set is missing or outdated.
 */
export declare function stagedClients(set: ClientSet): ClientPlaces;

/** The location of a set, installed or not. */
export declare function clientPlaces(set: ClientSet): ClientPlaces;

/** The Node that runs the clients of a set. */
export declare function clientNode(set: ClientSet): string;
