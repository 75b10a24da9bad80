import { CoxswainError } from 'coxswain';

/** The inspector cannot listen on its address. */
export class InspectorStartError extends CoxswainError<'inspector-start'> {
  declare readonly host: string;
  declare readonly port: number;

  constructor(host: string, port: number, cause: Error) {
    const code = 'code' in cause ? cause.code : undefined;
    const why = code === 'EADDRINUSE' ? 'the port is in use' : cause.message;
    const remedy = NOT_HERE.has(code) ? 'Pass an address of this machine.' : 'Pass another port, or 0 for a free one.';
    super('InspectorStartError', `The inspector cannot listen on ${host}:${port}: ${why}. ${remedy}`, {
      host,
      port,
      cause,
    });
  }
}

/** What the system says of a host that is not one of this machine. */
const NOT_HERE = new Set<unknown>(['ENOTFOUND', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'EINVAL']);
