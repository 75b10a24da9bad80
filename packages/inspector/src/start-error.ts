import { CoxswainError } from 'coxswain/errors';

/** The inspector cannot listen at its address. */
export class InspectorStartError extends CoxswainError<'inspector-start'> {
  declare readonly host: string;
  declare readonly port: number;

  constructor(host: string, port: number, cause: Error) {
    const taken = 'code' in cause && cause.code === 'EADDRINUSE';
    const why = taken ? 'another program listens there' : cause.message;
    super(
      'InspectorStartError',
      `The inspector cannot listen at ${host}:${port}: ${why}. Pass another port, or 0 for a free one.`,
      {
        host,
        port,
        cause,
      },
    );
  }
}
