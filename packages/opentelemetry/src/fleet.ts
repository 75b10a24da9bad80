import { context, SpanKind, trace } from '@opentelemetry/api';
import { checkOptions } from './check-options.ts';
import { attributeNames as names, spanNames } from './names.ts';
import { OpenSpan } from './open-span.ts';
import type { TelemetryOptions } from './options.ts';
import { NO_FAILURES } from './run-telemetry.ts';
import { SCOPE_NAME } from './telemetry.ts';
import { extractTrace, injectTrace, spanContextIn, type TraceCarrier } from './trace-carrier.ts';

/** A turn that is submitted to a fleet. */
export interface FleetSubmission {
  readonly key: string;
  readonly turn: string;
}

/** A turn that a worker of a fleet runs. */
export interface FleetTurn extends FleetSubmission {
  /** The carrier that was stored with the turn when it was submitted. */
  readonly carrier: TraceCarrier;
  readonly epoch: number;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** When it was submitted, in ms since the epoch. */
  readonly submittedAt: number;
}

/** The spans of turns that cross machines. */
export interface FleetTelemetry {
  /** Calls `store` in a `fleet.submit` span, with the carrier that must be stored with the turn. */
  submit<R>(submission: FleetSubmission, store: (carrier: TraceCarrier) => Promise<R>): Promise<R>;
  /**
   * Calls `run` in a `fleet.turn` span, in the trace of the caller that submitted the turn. If it returns the outcome of a
   * failure, the code or kind of that outcome is the `error.type`.
   */
  turn<R>(turn: FleetTurn, run: () => Promise<R>): Promise<R>;
}

/**
 * Creates the spans of a fleet: `fleet.submit` where a turn is submitted, `fleet.turn` where a worker runs it.
 * @throws OptionsError
 */
export function fleetTelemetry(options: Pick<TelemetryOptions, 'tracerProvider'> = {}): FleetTelemetry {
  checkOptions(options);
  const { tracerProvider = trace } = options;
  const tracer = tracerProvider.getTracer(SCOPE_NAME);
  return {
    submit({ key, turn }, store) {
      const attributes = { [names.key]: key, [names.turn]: turn };
      const start = { parent: context.active(), at: Date.now(), kind: SpanKind.PRODUCER, attributes };
      const span = new OpenSpan(tracer, spanNames.submit, start);
      return within(span, () => store(injectTrace(span.context)));
    },
    turn({ key, turn, carrier, epoch, attempt, submittedAt }, run) {
      const at = Date.now();
      const submitted = spanContextIn(carrier);
      const span = new OpenSpan(tracer, spanNames.turn, {
        parent: extractTrace(carrier),
        at,
        kind: SpanKind.CONSUMER,
        attributes: {
          [names.key]: key,
          [names.turn]: turn,
          [names.epoch]: epoch,
          [names.attempt]: attempt,
          [names.waited]: Math.max(at - submittedAt, 0) / 1_000,
        },
        links: submitted ? [submitted] : [],
      });
      return within(span, run, failureIn);
    },
  };
}

async function within<R>(
  span: OpenSpan,
  run: () => Promise<R>,
  failure: (result: R) => string | undefined = () => undefined,
): Promise<R> {
  try {
    const result = await context.with(span.context, run);
    span.end(Date.now(), failure(result));
    return result;
  } catch (error) {
    span.end(Date.now(), errorTypeOf(error));
    throw error;
  }
}

/** The failure in the outcome of a turn. A worker that lost the turn returns `null`. */
function failureIn(result: unknown): string | undefined {
  if (result === null) return 'lease-lost';
  if (typeof result !== 'object' || !('kind' in result) || typeof result.kind !== 'string') return undefined;
  if (NO_FAILURES.has(result.kind)) return undefined;
  return 'error' in result ? errorTypeOf(result.error) : result.kind;
}

/** The type of an error, or of an error as plain JSON. */
function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'object';
}
