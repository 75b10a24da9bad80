// The entry `coxswain/raw`: one CLI process, its frames and nothing else.

export { defaultLimits } from '../limits.ts';
export type { RawRequest, RawRequestContext, RawSessionOptions } from './raw-options.ts';
export { openRawSession, type RawEnd, type RawFrame, type RawSession } from './raw-session.ts';
