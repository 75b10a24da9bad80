import {
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

/** The context of a span as text, in the W3C format, which can be stored with a job or passed in an environment. */
export interface TraceCarrier {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Writes the span of a context; of the active one by default. Empty without a span. A registered propagator is not needed. */
export function injectTrace(from: Context = context.active()): TraceCarrier {
  const span = trace.getSpanContext(from);
  return span === undefined || !isSpanContextValid(span) ? {} : carrierOf(span);
}

/** A context whose span is the one in the carrier; the base itself if the carrier has none or is malformed. */
export function extractTrace(carrier: TraceCarrier, base: Context = context.active()): Context {
  const span = spanContextIn(carrier);
  return span === undefined ? base : trace.setSpanContext(base, span);
}

/** The span context in a carrier; `undefined` if it is malformed. */
export function spanContextIn({ traceparent, tracestate }: TraceCarrier): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = FORMAT.exec(String(traceparent ?? '')) ?? [];
  // Later versions may have additional fields.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const span: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(typeof tracestate === 'string' && tracestate !== '' && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(span) ? span : undefined;
}

const FORMAT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

function carrierOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceCarrier {
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  const state = traceState?.serialize() ?? '';
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state !== '' && { tracestate: state }) };
}
