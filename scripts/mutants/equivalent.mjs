/**
 * Mutants that change nothing a program can notice, with the reason.
 * @type {ReadonlyMap<string, string>}
 */
export const EQUIVALENT = new Map([]);
