// The entry `coxswain/errors`: the error classes, for `instanceof`. `isCoxswainError(error, code)` works without them. Every
// export of a file in `export *` is public.

export { McpServerCollisionError, McpServerUnavailableError, type UnavailableServer } from './mcp-server.ts';
export { type OptionProblem, OptionsError, UnsupportedOptionError } from './options.ts';
export * from './park.ts';
export * from './session.ts';
export * from './start.ts';
export * from './store.ts';
export * from './stream.ts';
export * from './tool.ts';
export * from './transcript.ts';
