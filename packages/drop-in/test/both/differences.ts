/** A behaviour in which the drop-in is not the official SDK. */
export interface WantedDifference {
  readonly official: unknown;
  readonly dropIn: unknown;
  /** The row of `docs/drop-in-differences.md`. */
  readonly what: string;
  readonly why: string;
}

/** Every difference that the comparisons of this folder know; `npm run docs` makes a page of them. */
export const DIFFERENCES = {
  'missing working directory': { official: 1, dropIn: 2, what: '', why: '' },
  'variables of the host': { official: [], dropIn: 2, what: '', why: '' },
  entrypoint: { official: 'sdk-ts', dropIn: 2, what: '', why: '' },
  'input that throws': { official: 1, dropIn: 2, what: '', why: '' },
} satisfies Record<string, WantedDifference>;
