// The entry `coxswain/transport`: what a transport of your own is made from, and what keeps secrets out of its texts.
export type { SpawnedProcess, SpawnFunction } from './options/option-types.ts';
export { type ChildTransportOptions, childTransport } from './process/child.ts';
export type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from './process/transport.ts';
export { createRedactor, secretsIn } from './redact.ts';
