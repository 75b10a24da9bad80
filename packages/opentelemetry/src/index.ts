export { type FleetSubmission, type FleetTelemetry, type FleetTurn, fleetTelemetry } from './fleet.ts';
export type { ContentOptions, OtlpTarget, TelemetryOptions } from './options.ts';
export { instrument, type Observable, type Telemetry, telemetry } from './telemetry.ts';
export { extractTrace, injectTrace, type TraceCarrier } from './trace-carrier.ts';
