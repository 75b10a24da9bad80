// The entry `coxswain/transport`: the parts for building a custom transport.
export { type ChildTransportOptions, childTransport } from './process/child.ts';
export type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from './process/transport.ts';
export { createRedactor, type Redactor, secretsIn } from './redact.ts';
