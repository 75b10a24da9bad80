/** Traces turns from the caller that submits them to the worker that runs them. `fleetTelemetry()` of @coxswain/opentelemetry is one. */
export interface FleetTracing {
  /** Must call `store` once, and return what it returns. The `traceparent` is stored with the turn. */
  submit<R>(
    submission: { readonly key: string; readonly turn: string },
    store: (carrier: TraceContext) => Promise<R>,
  ): Promise<R>;
  /** Must call `run` once, and return what it returns: the outcome, or `null` if the worker lost the turn. */
  turn<R>(turn: TracedTurn, run: () => Promise<R>): Promise<R>;
}

/** A turn that a worker runs. */
export interface TracedTurn {
  readonly key: string;
  readonly turn: string;
  /** What was stored with the turn; empty if it was submitted without tracing. */
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
}

export const untraced: FleetTracing = {
  submit: (_submission, store) => store({}),
  turn: (_turn, run) => run(),
};
