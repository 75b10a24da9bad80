/** The subject of the type tests. */
export * from '../../src/messages/assemble-partials.ts';
export * from '../../src/messages/outcome.ts';
export * from '../../src/wire/messages.ts';
export * from '../../src/wire/unknown.ts';
