// The entry `coxswain/raw`: one CLI process, its frames and nothing else.

export { defaultLimits } from '../limits.ts';
export { openRawSession } from './open-raw-session.ts';
export type {
  RawEnd,
  RawFrame,
  RawRequest,
  RawRequestContext,
  RawSession,
  RawSessionOptions,
} from './raw-session.ts';
