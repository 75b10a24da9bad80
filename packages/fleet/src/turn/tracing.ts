import { setTimeout as delay } from 'node:timers/promises';

/** Traces turns from the caller that submits them to the worker that runs them; for example `fleetTelemetry()` of @coxswain/opentelemetry. */
export interface FleetTracing {
  /** Must call `store` once and return its result. The trace context is stored with the turn. */
  submit<R>(
    submission: { readonly key: string; readonly turn: string },
    store: (carrier: TraceContext) => Promise<R>,
  ): Promise<R>;
  /** Must call `run` once and return its result: the outcome, or `null` if the worker lost or released the turn. */
  turn<R>(turn: TracedTurn, run: () => Promise<R>): Promise<R>;
}

/** A turn that a worker runs. */
export interface TracedTurn {
  readonly key: string;
  readonly turn: string;
  /** The trace context stored with the turn; empty if it was submitted without tracing. */
  readonly carrier: TraceContext;
  readonly epoch: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** In ms since the epoch. */
  readonly submittedAt: number;
}

/** A span as text, in the W3C format. */
export interface TraceContext {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export const noTracing: FleetTracing = {
  submit: (_submission, store) => store({}),
  turn: (_turn, run) => run(),
};

/** Time a tracer has to call the work; then the work runs without it. */
const TRACER_MS = 1_000;

/**
 * Isolates turns from failures of their tracing: the work runs exactly once in any case, and its result counts. A tracer that throws or
 * never calls the work is reported once, as a process warning.
 */
export function isolated(tracing: FleetTracing): FleetTracing {
  let warned = false;
  const warn = (problem: string): void => {
    if (!warned) process.emitWarning(`${problem} Turns are not affected.`, WARNING);
    warned = true;
  };
  return {
    submit: (submission, store) => within((call) => tracing.submit(submission, call), store, warn),
    turn: (turn, run) =>
      within(
        (call) => tracing.turn(turn, () => call({})),
        () => run(),
        warn,
      ),
  };
}

const WARNING = { type: 'CoxswainWarning', code: 'COXSWAIN_FLEET_TRACING' };

async function within<R>(
  trace: (call: (carrier: TraceContext) => Promise<R>) => Promise<R>,
  work: (carrier: TraceContext) => Promise<R>,
  warn: (problem: string) => void,
): Promise<R> {
  let done: Promise<R> | undefined;
  const called = new AbortController();
  const call = (carrier: TraceContext): Promise<R> => {
    done ??= work(carrier);
    called.abort();
    return done;
  };
  void (async () => trace(call))()
    .catch(async (error: unknown) => {
      // An error of the work itself is passed on below.
      const failure = await done?.catch((reason: unknown) => reason);
      if (error !== failure) warn(`The option tracing of the fleet failed: ${String(error)}.`);
    })
    .finally(() => called.abort());
  // Resolves at once if the work was called.
  await delay(TRACER_MS, undefined, { signal: called.signal }).catch(() => {});
  if (done === undefined) warn('The option tracing of the fleet did not call the function it received.');
  return call({});
}
