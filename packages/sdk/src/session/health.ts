import type { PendingCallback } from '../callbacks/callback-request.ts';
import { steadyNow } from '../clock.ts';
import { isFinal, type LifecycleState } from '../connection/state.ts';
import type { WaitingRequest } from '../control/pending.ts';
import type { ConversationProcess } from '../conversation/conversation-process.ts';
import { reasonOf } from '../errors/base.ts';

/** The health of a session, and the reason when it is not healthy. */
export type Health =
  | { readonly status: 'healthy' }
  | { readonly status: 'degraded'; readonly reason: string }
  | { readonly status: 'unhealthy'; readonly reason: string };

/** The data that the health is derived from. */
export interface Vitals {
  readonly state: LifecycleState;
  readonly now: number;
  readonly lastFrameAt: number;
  readonly turnRuns: boolean;
  readonly requests: readonly WaitingRequest[];
  readonly callbacks: readonly PendingCallback[];
}

/** A turn without a frame for this long may hang; a thinking model sends one at least every 30 s. */
const SILENT_MS = 120_000;
/** The CLI answers control requests in milliseconds, even during a turn. */
const UNANSWERED_MS = 10_000;
/** Requests that wait for files or other servers may take this long. */
const SLOW_UNANSWERED_MS = 60_000;
const SLOW_REQUEST = /^(rewind_files|mcp_)/;
/** A callback that takes this long delays the CLI. */
const CALLBACK_MS = 60_000;

/** Time limit of the answer to a probe. */
export const PROBE_MS = 5_000;

/** Judges a session and probes its CLI. Never rejects. */
export async function probeHealth(judge: () => Health, ping: () => Promise<unknown>): Promise<Health> {
  const before = judge();
  if (before.status === 'unhealthy') return before;
  try {
    await ping();
    return judge();
  } catch (error) {
    return { status: 'unhealthy', reason: `the CLI did not answer: ${reasonOf(error)}` };
  }
}

/** Judges a session by its past, without a request. */
export function healthOf({ state, paused, conversation }: HealthSource): Health {
  if (state === 'restarting') return { status: 'degraded', reason: 'the CLI is being started again' };
  const health = judgeHealth({
    state: conversation.state,
    now: steadyNow(),
    lastFrameAt: conversation.receiver.heardAt,
    turnRuns: conversation.turns.current !== undefined,
    requests: conversation.requests.waiting,
    callbacks: conversation.inbound.pending,
  });
  if (health.status !== 'healthy' || !paused) return health;
  const until = new Date(paused.until).toISOString();
  return { status: 'degraded', reason: `new turns wait until ${until} (${paused.reason})` };
}

/** The data by which the health of a session is judged. */
interface HealthSource {
  readonly state: string;
  readonly paused: { readonly until: number; readonly reason: string } | undefined;
  readonly conversation: Pick<ConversationProcess, 'state' | 'receiver' | 'turns' | 'requests' | 'inbound'>;
}

/** Judges a CLI process without a request. */
export function judgeHealth(vitals: Vitals): Health {
  const { state, now, requests, callbacks } = vitals;
  if (isFinal(state)) return { status: 'unhealthy', reason: `the session is ${state}` };
  if (state === 'stopping') return { status: 'degraded', reason: 'the session is being stopped' };
  if (state !== 'running') return { status: 'degraded', reason: 'the session is starting' };
  const late = requests.find(
    ({ kind, since }) => now - since > (SLOW_REQUEST.test(kind) ? SLOW_UNANSWERED_MS : UNANSWERED_MS),
  );
  if (late) {
    return {
      status: 'unhealthy',
      reason: `a control request (${late.kind}) has been unanswered for ${now - late.since} ms`,
    };
  }
  const slow = callbacks.find(({ kind, sinceMs }) => kind === 'hook' && sinceMs > CALLBACK_MS);
  if (slow) return { status: 'degraded', reason: `${slow.name} has been running for ${slow.sinceMs} ms` };
  const silence = now - vitals.lastFrameAt;
  if (vitals.turnRuns && callbacks.length === 0 && silence > SILENT_MS) {
    return { status: 'degraded', reason: `the CLI has sent nothing for ${silence} ms` };
  }
  return { status: 'healthy' };
}
