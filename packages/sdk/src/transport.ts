// The entry `coxswain/transport`: what a transport of your own is made from.
export { type ChildTransportOptions, childTransport } from './process/child.ts';
export type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from './process/transport.ts';
export { createRedactor, type Redactor, secretsIn } from './redact.ts';
