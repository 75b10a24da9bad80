import { officialEntry } from '../peer.mjs';

export * as bare from './bare.mjs';
export * as coxswain from './coxswain.mjs';

/** The closed official SDK, if it could be installed. */
export const official = officialEntry() && (await import('./official.mjs'));
