// The entry `coxswain/errors`: the classes, for `instanceof`. `isCoxswainError(error, code)` needs none of them.
export { CoxswainError, isCoxswainError, isTerminal } from './base.ts';
export { OptionsError, UnsupportedOptionError } from './options.ts';
// These files hold nothing else than errors and the types of their fields.
export * from './session.ts';
export * from './start.ts';
export * from './store.ts';
export * from './stream.ts';
export * from './tool.ts';
export * from './transcript.ts';
