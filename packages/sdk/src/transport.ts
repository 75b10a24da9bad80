// The entry `coxswain/transport`: the parts from which a transport of one's own is made.
export { type ChildTransportOptions, childTransport } from './process/child.ts';
export type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from './process/transport.ts';
