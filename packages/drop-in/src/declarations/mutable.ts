/** The same shape without `readonly`, at any depth: the types of the official SDK are mutable. */
export type Mutable<T> = T extends string | number | boolean | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;
