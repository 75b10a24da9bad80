/** A declaration that differs from the official one and stays so. */
export interface DeclaredDifference {
  /** The beginning of the paths at which it differs; empty for the type itself. */
  readonly at: string;
  /** The directions in which a value of one package is refused by the other one's type. */
  readonly refused: readonly ('official → drop-in' | 'drop-in → official')[];
  readonly why: string;
}

/** All differences that the comparison of the declarations expects; `npm run docs` generates a table from them. */
export const DECLARED_DIFFERENCES: Readonly<Record<string, DeclaredDifference>> = {
  InMemorySessionStore: {
    at: '',
    refused: ['official → drop-in', 'drop-in → official'],
    why: 'The public members are the same. Classes with private fields never fit each other, and a program has only one of the packages.',
  },
  SDKControlRequest: {
    at: 'request',
    refused: ['drop-in → official'],
    why: 'No function accepts or returns it. The requests between SDK and CLI are not listed: they change with each release.',
  },
  SDKControlResponse: {
    at: 'response',
    refused: ['drop-in → official'],
    why: 'Its pending requests are `SDKControlRequest`.',
  },
  Transport: {
    at: 'readMessages()',
    refused: ['drop-in → official'],
    why: 'No option accepts a transport. Its frames are `unknown`, because the official ones include `SDKControlRequest`.',
  },
};

/** Names that the official package exports without a declaration. */
export const UNDECLARED_NAMES = [
  'CommandMatcher',
  'DirectConnectError',
  'DirectConnectTransport',
  'FileIndex',
  'parseDirectConnectUrl',
] as const;

/** How many declarations are compared. A class counts as two, a type and a value. */
export const COMPARED_DECLARATIONS = 359;
